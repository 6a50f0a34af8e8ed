// GELU of float32: x/2 erfc(-x / sqrt 2), or x/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). erfc is the C library's or the
// approximation that Eigen computes, as tanh always is. Each operation is rounded, in this order; with TVMQ_FUSED, those of
// multiply_add() together.
//
// Part of functions_template.h, whose vectors it uses.

#ifdef TVMQ_FUSED
TVMQ_INLINE floats multiply_add(floats a, floats b, floats c);
TVMQ_INLINE floats reciprocal(floats x);
#define MOST_OF_TANH 8.01773357391357422f  // where the approximation of degrees 9 and 8 reaches 1
#else
TVMQ_INLINE floats multiply_add(floats a, floats b, floats c) { return a * b + c; }
TVMQ_INLINE floats reciprocal(floats x) { return 1 / x; }
#define MOST_OF_TANH 7.90738964080810547f
#endif

TVMQ_INLINE floats splat(float x) { return x - (floats){0}; }

// Returns the polynomial of x whose coefficients begin with that of the highest power.
#define POLYNOMIAL(x, ...)                                                                                                                          \
  ({                                                                                                                                                \
    static const float coefficients_[] = {__VA_ARGS__};                                                                                             \
    floats sum_ = splat(coefficients_[0]);                                                                                                          \
    UNROLL for (size_t c_ = 1; c_ < sizeof coefficients_ / sizeof *coefficients_; c_++) { sum_ = multiply_add(sum_, x, splat(coefficients_[c_])); } \
    sum_;                                                                                                                                           \
  })

// Returns e^x for x in [-121, -1]: 0 below -104, and 2^m e^r with a polynomial of r otherwise.
TVMQ_INLINE floats negative_exp(floats x) {
  const floats most = choose((masks)(x < ZERO_BELOW), splat(ZERO_BELOW), x);
  const floats scaled = multiply_add(most, splat(1.44269504088896341f), splat(0.5f));
  masks m = __builtin_convertvector(scaled, masks);
  m += (masks)(__builtin_convertvector(m, floats) > scaled);  // rounds down: a mask is -1
  const floats whole = __builtin_convertvector(m, floats);
  const floats r = multiply_add(whole, splat(2.12194440e-4f), multiply_add(whole, splat(-0.693359375f), most)), r2 = r * r;
  const floats high = multiply_add(r2, splat(1.37449637986719608306884765625e-3f), splat(4.166965186595916748046875e-2f));
  const floats odd = multiply_add(r2, splat(8.36894474923610687255859375e-3f), splat(0.16666518151760101318359375f));
  const floats even = multiply_add(r2, high, splat(0.49999988079071044921875f));
  const floats y = multiply_add(r2, multiply_add(r, odd, even), r + 1);
  const floats power = (floats)((m + (75 + 127)) << 23);  // 2^(m + 75): y 2^m may be subnormal, and is rounded once
  return choose((masks)(x < ZERO_BELOW), splat(0), y * power * 0x1p-75f);
}

TVMQ_INLINE floats clamp(floats x, float most) {
  x = choose((masks)(x < -most), splat(-most), x);
  return choose((masks)(x > most), splat(most), x);
}

// Returns the rounding error of x2 = x x, by Veltkamp's and Dekker's splitting of x.
TVMQ_INLINE floats square_error(floats x, floats x2) {
  const floats scaled = x * 4097, high = scaled - (scaled - x), low = x - high;
  return ((high * high - x2) + high * low + low * high) + low * low;
}

// Returns 1 + x S(x^2) for |x| <= 1 and e^(-x^2) / x P(1/x^2) / Q(1/x^2), for negative x plus 2, beyond. library: computes
// the exponential of elements that are alone; NULL: they are in packets.
TVMQ_INLINE floats eigen_erfc(floats unbounded, tvmq_library_fn library) {
  const floats x = clamp(unbounded, 11), x2 = x * x;
  const floats s = POLYNOMIAL(x2, 5.61802298761904239654541015625e-04f, -4.91381669417023658752441406250e-03f, 2.67075151205062866210937500000e-02f,
                              -1.12800106406211853027343750000e-01f, 3.76122951507568359375000000000e-01f, -1.12837910652160644531250000000e+00f);
  const floats small = multiply_add(x, s, splat(1));
  const masks is_large = (masks)(x2 > 1);
  if (!any(is_large)) return small;
  const floats argument = choose(is_large, -x2, splat(-1));
  floats e, inverse;
  if (library == NULL) {
    e = negative_exp(argument);
    inverse = reciprocal(x2);
  } else {
    for (int j = 0; j < LANES; j++) e[j] = library(argument[j]);
    inverse = 1 / x2;
  }
  const floats z = multiply_add(-e, square_error(x, x2), e);
  const floats p = POLYNOMIAL(inverse, 1.0208116471767425537109375e-01f, 4.2920666933059692382812500e-01f, 3.2379078865051269531250000e-01f,
                              5.3971976041793823242187500e-02f);
  const floats q = POLYNOMIAL(inverse, 1.7251677811145782470703125e-02f, 3.9137163758277893066406250e-01f, 1.0f, 6.2173241376876831054687500e-01f,
                              9.5662862062454223632812500e-02f);
  return choose(is_large, multiply_add(z, p / (x * q), choose((masks)(x < 0), splat(2), splat(0))), small);
}

TVMQ_INLINE floats gelu_library(floats x, tvmq_library_fn erfc) {
  floats argument = x * -0.70710678118654752440f, result = {0};
  for (int j = 0; j < LANES; j++) result[j] = erfc(argument[j]);
  return 0.5f * x * result;
}

TVMQ_INLINE floats gelu_eigen(floats x, tvmq_library_fn library) { return 0.5f * x * eigen_erfc(x * -0.70710678118654752440f, library); }

TVMQ_INLINE floats tanh_argument(floats x) { return 0.79788456080286535588f * (x + 0.044715f * (x * (x * x))); }

// GELU_TANH with the approximation of degrees 9 and 8.
TVMQ_INLINE floats gelu_tanh_9_8(floats in) {
  const floats x = clamp(tanh_argument(in), MOST_OF_TANH), x2 = x * x;
  const floats p = POLYNOMIAL(x2, 1.394553628e-8f, 2.102733560e-5f, 3.520756727e-3f, 1.340216100e-1f);
  const floats q = POLYNOMIAL(x2, 8.015776984e-7f, 3.326951409e-4f, 2.597254514e-2f, 4.673548340e-1f, 1.0f);
  return 0.5f * in * (1 + multiply_add(x2 * x, p, x) / q);
}

// GELU_TANH with the approximation of degrees 13 and 6, which leaves small arguments as they are.
TVMQ_INLINE floats gelu_tanh_13_6(floats in) {
  const floats argument = tanh_argument(in), x = clamp(argument, 7.90531110763549805f), x2 = x * x;
  const floats p = x * POLYNOMIAL(x2, -2.76076847742355e-16f, 2.00018790482477e-13f, -8.60467152213735e-11f, 5.12229709037114e-08f, 1.48572235717979e-05f,
                                  6.37261928875436e-04f, 4.89352455891786e-03f);
  const floats q = POLYNOMIAL(x2, 1.19825839466702e-06f, 1.18534705686654e-04f, 2.26843463243900e-03f, 4.89352518554385e-03f);
  return 0.5f * in * (1 + choose((masks)(magnitude(argument) < 0.0004f), x, p / q));
}
