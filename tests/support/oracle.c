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
