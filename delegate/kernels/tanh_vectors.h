// tanhf of libraries that descend from fdlibm, glibc before 2.41 among them, in float32 vectors; each operation is rounded.
//
// With a = 2 |x| where |x| >= 1, else a = -2 |x|, and t = e^a - 1, tanh |x| is 1 - 2 / (t + 2), or -t / (t + 2). For t,
// a = k ln 2 + r + c, where c corrects r, and e^r - 1 comes from a rational function; d is its value. What is left is to
// scale (1 + d) by 2^k and to subtract 1, in one of several orders that keep small numbers exact.
//
// Includes nothing: part of functions_template.h, whose vectors it uses.

// Returns 2^k. Lanes without a meaning may have any k.
TVMQ_INLINE floats power_of_two(words k) { return (floats)((k + 127) << 23); }

// Returns e^a - 1 for a in (-2, 0] or [2, 44).
TVMQ_INLINE floats fdlibm_expm1(floats a) {
  const floats half_ln2 = (floats){0} + 0.34657359f, one_and_half_ln2 = (floats){0} + 1.0397207f, zero = {0};
  const masks negative = (masks)(a < 0), reduced = (masks)(-a > half_ln2) | ~negative;
  const masks nearest = __builtin_convertvector(1.4426950216f * a + choose(negative, zero - 0.5f, zero + 0.5f), masks);
  const masks k = reduced & ((negative & (masks)(-a < one_and_half_ln2)) | (~(negative & (masks)(-a < one_and_half_ln2)) & nearest));
  const floats n = __builtin_convertvector(k, floats), high = a - n * 6.9313812256e-01f, low = n * 9.0580006145e-06f;
  const floats r = high - low, c = (high - r) - low, half = 0.5f * r, square = r * half;
  const floats p = 1 + square * (-3.3333335072e-02f +
                                 square * (1.5873016091e-03f + square * (-7.9365076090e-05f + square * (4.0082177293e-06f + square * -2.0109921195e-07f))));
  const floats q = 3 - p * half, e = (r * (square * ((p - q) / (6 - r * q)) - c) - c) - square, d = r - e;
  const floats up = power_of_two((words)k), down = power_of_two(0 - (words)k);
  const masks small = (masks)(k >= -1) & (masks)(k <= 0);
  const floats base = choose(small, zero, choose((masks)(k < 0), zero + 1, 1 - down));
  const floats taken = choose((masks)(k == -1), zero + 0.5f, choose((masks)(k < -1), zero + 1, zero));
  return choose((masks)(k >= 23), ((r - (e + down)) + 1) * up, (base + d) * up - taken);
}

TVMQ_INLINE floats fdlibm_tanh(floats x) {
  const floats size = magnitude(x), zero = {0};
  const masks far = (masks)(size >= 1), beyond = (masks)(size >= 22);
  const floats twice = 2 * choose(beyond, zero, size), t = fdlibm_expm1(choose(far & ~beyond, twice, -twice));
  const floats between = choose(far, 1 - 2 / (t + 2), -t / (t + 2));
  const floats result = choose(beyond, zero + 1, between);
  const masks is_nan = (masks)(x != x), sign = (masks)x & INT32_MIN;
  return choose(is_nan, x + x, (floats)(((masks)result & INT32_MAX) | sign));
}
