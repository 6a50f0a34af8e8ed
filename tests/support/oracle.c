#include "oracle.h"

#include <math.h>

enum ties { TIES_UP, TIES_AWAY };

int32_t oracle_load(enum tvmq_type type, const void *tensor, size_t i) {
  switch (type) {
    case TVMQ_TYPE_S8:
      return ((const int8_t *)tensor)[i];
    case TVMQ_TYPE_U8:
      return ((const uint8_t *)tensor)[i];
    case TVMQ_TYPE_S16:
      return ((const int16_t *)tensor)[i];
    default:
      return ((const int32_t *)tensor)[i];
  }
}

// The integer nearest to x / unit. Division leaves a quotient and the exact rest; comparing the rest with one half decides, so no bit trick is shared with
// the formulas under test.
static __int128 nearest(__int128 x, __int128 unit, enum ties ties) {
  __int128 below = x / unit, rest = x % unit;
  if (rest < 0) {
    below -= 1;
    rest += unit;
  }
  if (2 * rest == unit) return ties == TIES_UP || x > 0 ? below + 1 : below;
  return 2 * rest > unit ? below + 1 : below;
}

static __int128 power(int exponent) { return (__int128)1 << exponent; }

int32_t oracle_mean(enum tvmq_type type, int64_t sum, int64_t taps) { return (int32_t)nearest(sum, taps, type == TVMQ_TYPE_U8 ? TIES_UP : TIES_AWAY); }

int32_t oracle_wrap(__int128 x) {
  const __int128 span = (__int128)1 << 32;
  __int128 rest = x % span;
  if (rest < 0) rest += span;
  return (int32_t)(rest < span / 2 ? rest : rest - span);
}

int32_t oracle_round_s32(enum tvmq_rounding rounding, int32_t x, int32_t multiplier, int32_t shift) {
  if (rounding == TVMQ_ROUNDING_SINGLE) return oracle_wrap(nearest((__int128)x * multiplier, power(31 - shift), TIES_UP));
  const int32_t shifted = shift > 0 ? oracle_wrap((__int128)x * ((__int128)1 << shift)) : x;
  __int128 high = nearest((__int128)shifted * multiplier, power(31), TIES_UP);
  if (high > INT32_MAX) high = INT32_MAX;
  if (shift >= 0) return (int32_t)high;
  return (int32_t)nearest(high, power(-shift), rounding == TVMQ_ROUNDING_REFERENCE ? TIES_AWAY : TIES_UP);
}

int32_t oracle_round_s64(int64_t x, int32_t multiplier, int32_t shift) {
  const __int128 rounded = nearest(multiplier, power(16), TIES_UP);
  return oracle_wrap(nearest((__int128)x * (rounded > INT16_MAX ? INT16_MAX : rounded), power(15 - shift), TIES_UP));
}

static int32_t round_f32(double quotient) {
#if defined(__aarch64__)  // what the machine's conversion makes of numbers beyond int32, and of NaN
  if (isnan(quotient)) return 0;
  if (fabs(quotient) >= 0x1p31) return quotient < 0 ? INT32_MIN : INT32_MAX;
#else
  if (!(fabs(quotient) < 0x1p31)) return INT32_MIN;
#endif
  const double magnitude = floor(fabs(quotient) + 0.5);  // exact: 24 bits and a half fit 53
  return (int32_t)(quotient < 0 ? -magnitude : magnitude);
}

// A double quotient of two floats has bits enough to round to float as if once, and a product is exact.
int32_t oracle_quantize_f32(float x, float scale) { return round_f32((float)((double)x / (double)scale)); }

int32_t oracle_multiply_f32(float x, float inverse) { return round_f32((float)((double)x * (double)inverse)); }

void oracle_fixed_point(double real, int32_t *multiplier, int32_t *shift) {
  *multiplier = *shift = 0;
  if (!(real > 0) || isinf(real)) return;
  int32_t exponent = 0;
  for (; real >= 1; real /= 2) ++exponent;
  for (; real < 0.5; real *= 2) --exponent;
  double mantissa = floor(real * 0x1p31 + 0.5);
  if (mantissa == 0x1p31) {
    mantissa = 0x1p30;
    ++exponent;
  }
  if (exponent < -31) return;
  *multiplier = (int32_t)mantissa;
  *shift = exponent;
}

int64_t oracle_dot(const int32_t *x, const int32_t *w, size_t n) {
  int64_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += (int64_t)x[i] * w[i];
  return sum;
}

// Eigen's operations: on Arm with fused multiply-add, and with an estimate of reciprocals that two steps of Newton's method refine.
#if defined __aarch64__
#include <arm_neon.h>
static float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
static float reciprocal(float x) {
  float y = vrecpes_f32(x);
  y *= vrecpss_f32(x, y);
  return y * vrecpss_f32(x, y);
}
static const float most_of_tanh = 8.01773357391357422f;
#else
static float multiply_add(float a, float b, float c) { return a * b + c; }
static float reciprocal(float x) { return 1 / x; }
static const float most_of_tanh = 7.90738964080810547f;
#endif

// Coefficients begin with that of the highest power.
static float horner(float x, const float *coefficients, size_t n) {
  float sum = coefficients[0];
  for (size_t i = 1; i < n; i++) sum = multiply_add(sum, x, coefficients[i]);
  return sum;
}
#define HORNER(x, ...) horner(x, (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float))

static float packet_exp(float x) {
  if (x < -104) return 0;
  const float m = floorf(multiply_add(x, 1.44269504088896341f, 0.5f)), r = multiply_add(m, 2.12194440e-4f, multiply_add(m, -0.693359375f, x)), r2 = r * r;
  const float even = HORNER(r2, 1.37449637986719608306884765625e-3f, 4.166965186595916748046875e-2f, 0.49999988079071044921875f);
  const float odd = HORNER(r2, 8.36894474923610687255859375e-3f, 0.16666518151760101318359375f);
  return ldexpf(multiply_add(r2, multiply_add(r, odd, even), r + 1), (int)m);
}

static float packet_erfc(float unbounded, bool alone) {
  const float x = unbounded < -11 ? -11 : unbounded > 11 ? 11 : unbounded, x2 = x * x;
  if (!(x2 > 1)) {
    const float s = HORNER(x2, 5.61802298761904239654541015625e-04f, -4.91381669417023658752441406250e-03f, 2.67075151205062866210937500000e-02f,
                           -1.12800106406211853027343750000e-01f, 3.76122951507568359375000000000e-01f, -1.12837910652160644531250000000e+00f);
    return multiply_add(x, s, 1);
  }
  const float error = (float)((double)x * (double)x - (double)x2), e = alone ? expf(-x2) : packet_exp(-x2), inverse = alone ? 1 / x2 : reciprocal(x2);
  const float p =
      HORNER(inverse, 1.0208116471767425537109375e-01f, 4.2920666933059692382812500e-01f, 3.2379078865051269531250000e-01f, 5.3971976041793823242187500e-02f);
  const float q = HORNER(inverse, 1.7251677811145782470703125e-02f, 3.9137163758277893066406250e-01f, 1, 6.2173241376876831054687500e-01f,
                         9.5662862062454223632812500e-02f);
  return multiply_add(multiply_add(-e, error, e), p / (x * q), x < 0 ? 2.0f : 0.0f);
}

static float rational_tanh(float argument, bool packets) {
  const float most = packets ? most_of_tanh : 7.90531110763549805f;
  const float x = argument < -most ? -most : argument > most ? most : argument, x2 = x * x;
  if (packets) {
    const float p = HORNER(x2, 1.394553628e-8f, 2.102733560e-5f, 3.520756727e-3f, 1.340216100e-1f);
    return multiply_add(x2 * x, p, x) / HORNER(x2, 8.015776984e-7f, 3.326951409e-4f, 2.597254514e-2f, 4.673548340e-1f, 1);
  }
  if (fabsf(argument) < 0.0004f) return x;
  const float p = HORNER(x2, -2.76076847742355e-16f, 2.00018790482477e-13f, -8.60467152213735e-11f, 5.12229709037114e-08f, 1.48572235717979e-05f,
                         6.37261928875436e-04f, 4.89352455891786e-03f);
  return x * p / HORNER(x2, 1.19825839466702e-06f, 1.18534705686654e-04f, 2.26843463243900e-03f, 4.89352518554385e-03f);
}

float oracle_gelu(float x, bool by_tanh, bool packets, bool alone) {
  if (by_tanh) return 0.5f * x * (1 + rational_tanh(0.79788456080286535588f * (x + 0.044715f * (x * (x * x))), packets));
  const float argument = x * -0.70710678118654752440f;
  return 0.5f * x * (packets ? packet_erfc(argument, alone) : erfcf(argument));
}
