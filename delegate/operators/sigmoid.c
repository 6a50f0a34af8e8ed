#include "operators/sigmoid.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

// Indices of table entries that are 1 greater in the reference than the rounded logistic function. All other entries
// are equal.
static const uint8_t raised[] = {4,  8,  12, 14, 15, 16, 17, 19, 20, 21, 22, 25, 27, 28, 29, 30, 31,  33,  34,  35,  37,  39,
                                 40, 41, 43, 44, 45, 46, 49, 50, 54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255};

enum { ENTRIES = TVMQ_WORD_MAP_ENTRIES - TVMQ_WORD_MAP_MIDDLE, HALF = 1 << 15 };

static int32_t halves[ENTRIES];  // 65536 / (1 + exp(-i / 24)), rounded as in the reference, minus a half of 65536

static void fill(void) {
  // Every value is at least 0.001 away from a tie.
  for (int i = 0; i < ENTRIES; i++) halves[i] = (int32_t)lrint(65536 / (1 + exp(-i / 24.0))) - HALF;
  for (size_t i = 0; i < sizeof raised; i++) halves[raised[i]]++;
}

// Finds the power of two that the reference uses for a scale. The reference computes the logarithm in float32, with an
// error of a few units in the last place, and accepts a power within 0.001. Scales at this limit are refused.
static const char *find_power(float scale, int *power, bool *found) {
  const double exponent = log2((double)scale), off = fabs(exponent - round(exponent)), error = fabs(exponent) * 0x1p-21;
  *power = (int)round(exponent);
  *found = off < 0.001;
  return fabs(off - 0.001) <= error ? "input scale is nearly a power of two" : NULL;
}

// Finds the factor that converts elements to steps.
static const char *find_steps(const struct tvmq_unary_desc *desc, int32_t *multiplier, int32_t *shift) {
  enum { STEPS = 3 << 12, MOST_SHIFT = 31 };  // steps in 1.0: 24 entries of 2^9 steps
  const int most_left = desc->function == TVMQ_FUNCTION_TANH ? 1 : 0;
  int power;
  bool is_power;
  const char *reason = find_power(desc->in.scale, &power, &is_power);
  if (reason != NULL) return reason;
  *shift = 0;
  if (is_power && power >= -12 && power <= -12 + most_left) {
    *multiplier = 3 << (power + 12);
    return NULL;
  }
  double real = (double)desc->in.scale * STEPS;
  if (real > UINT16_MAX) return "input scale is too large";  // larger products would exceed int32
  for (; real <= INT16_MAX / 2.0 && *shift < MOST_SHIFT; (*shift)++) real *= 2;
  *multiplier = (int32_t)real;
  // The reference treats a multiplier of 0 as a power of two.
  return *multiplier == 0 ? "input scale is too small" : NULL;
}

const char *tvmq_sigmoid_map(const struct tvmq_unary_desc *desc, struct tvmq_word_map *map) {
  const bool is_tanh = desc->function == TVMQ_FUNCTION_TANH;
  int32_t multiplier, shift;
  const char *reason = find_steps(desc, &multiplier, &shift);
  if (reason != NULL || map == NULL) return reason;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill);
  *map = (struct tvmq_word_map){.is_folded = true, .multiplier = multiplier, .shift = shift};
  map->bits = is_tanh ? 8 : 9;
  map->out_bits = is_tanh ? 8 : 10;
  map->offset = is_tanh ? 0 : HALF / 2;
  int32_t *const entries = map->entries + TVMQ_WORD_MAP_MIDDLE;
  for (int i = 0; i < ENTRIES - 1; i++) entries[i] = tvmq_word_map_entry(halves[i], halves[i + 1] - halves[i]);
  entries[ENTRIES - 1] = tvmq_word_map_entry(is_tanh ? UINT16_MAX - HALF : 2 * INT16_MAX - HALF, 0);  // the value beyond the table
  return NULL;
}
