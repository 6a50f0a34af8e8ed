#include "operators/sigmoid.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/inline.h"

// Indices of table entries that are 1 greater in the reference than the rounded logistic function. All other entries
// are equal.
static const uint8_t raised[] = {4,  8,  12, 14, 15, 16, 17, 19, 20, 21, 22, 25, 27, 28, 29, 30, 31,  33,  34,  35,  37,  39,
                                 40, 41, 43, 44, 45, 46, 49, 50, 54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255};

static int32_t entries[TVMQ_SIGMOID_ENTRIES];

static void fill(void) {
  // Every value is at least 0.001 away from a tie.
  for (int i = 0; i < TVMQ_SIGMOID_ENTRIES; i++) entries[i] = (int32_t)lrint(65536 / (1 + exp(-i / 24.0)));
  for (size_t i = 0; i < sizeof raised; i++) entries[raised[i]]++;
}

// Finds the power of two that the reference uses for a scale. The reference computes the logarithm in float32 and
// accepts a power within 0.001. Scales near this limit are refused.
static const char *find_power(float scale, int *power, bool *found) {
  const double exponent = log2((double)scale), off = fabs(exponent - round(exponent));
  *power = (int)round(exponent);
  *found = off < 0.001;
  return fabs(off - 0.001) < 0.0002 ? "input scale is nearly a power of two" : NULL;
}

const char *tvmq_set_sigmoid(const struct tvmq_unary_desc *desc, struct tvmq_sigmoid *sigmoid) {
  enum { STEPS = 3 << 12, MOST_SHIFT = 31 };  // steps in 1.0: 24 entries of 2^9 steps
  const int most_left = desc->function == TVMQ_FUNCTION_TANH ? 1 : 0;
  int power;
  bool is_power;
  const char *reason = find_power(desc->in.scale, &power, &is_power);
  if (reason != NULL) return reason;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill);
  memcpy(sigmoid->table, entries, sizeof entries);
  sigmoid->shift = 0;
  if (is_power && power >= -12 && power <= -12 + most_left) {
    sigmoid->multiplier = 3 << (power + 12);
    return NULL;
  }
  double multiplier = (double)desc->in.scale * STEPS;
  if (multiplier > UINT16_MAX) return "input scale is too large";  // larger products would exceed int32
  for (; multiplier <= INT16_MAX / 2.0 && sigmoid->shift < MOST_SHIFT; sigmoid->shift++) multiplier *= 2;
  sigmoid->multiplier = (int32_t)multiplier;
  // The reference treats a multiplier of 0 as a power of two.
  return sigmoid->multiplier == 0 ? "input scale is too small" : NULL;
}

// Looks up an element `steps` steps above zero, with 2^bits steps between entries. The interpolated result has `bits`
// more bits. Returns `most` beyond the end of the table.
TVMQ_INLINE int32_t looked_up(const struct tvmq_sigmoid *s, int32_t steps, int bits, int32_t most) {
  const int32_t entry = steps >> bits, rest = steps & ((1 << bits) - 1);
  if (entry >= TVMQ_SIGMOID_ENTRIES - 1) return most;
  return (s->table[entry] << bits) + rest * (s->table[entry + 1] - s->table[entry]);
}

TVMQ_INLINE int32_t steps_of(const struct tvmq_sigmoid *s, int32_t x) {
  const int32_t half = s->shift > 0 ? 1 << (s->shift - 1) : 0;
  return (int32_t)(((int64_t)x * s->multiplier + half) >> s->shift);
}

TVMQ_INLINE int32_t logistic(const struct tvmq_sigmoid *s, int32_t steps) {
  const int32_t value = looked_up(s, steps < 0 ? -steps : steps, 9, INT16_MAX << 10);
  return steps >= 0 ? (value + (1 << 9)) >> 10 : ((1 << 25) - value + (1 << 9) - 1) >> 10;
}

TVMQ_INLINE int32_t hyperbolic_tangent(const struct tvmq_sigmoid *s, int32_t steps) {
  const int32_t value = looked_up(s, steps < 0 ? -steps : steps, 8, UINT16_MAX << 8) - (1 << 23);
  return steps >= 0 ? (value + (1 << 7)) >> 8 : (-value + (1 << 7) - 1) >> 8;
}

void tvmq_sigmoids(const struct tvmq_sigmoid *sigmoid, enum tvmq_function function, const int16_t *in, int16_t *out, size_t n) {
  if (function == TVMQ_FUNCTION_TANH) {
    for (size_t i = 0; i < n; i++) out[i] = (int16_t)hyperbolic_tangent(sigmoid, steps_of(sigmoid, in[i]));
  } else {
    for (size_t i = 0; i < n; i++) out[i] = (int16_t)logistic(sigmoid, steps_of(sigmoid, in[i]));
  }
}
