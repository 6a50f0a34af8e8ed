// Mean of an average pooling window, rounded as in TFLite's reference kernels: to the nearest integer, halves away from
// zero for int8 and int16, halves upwards for uint8. With t >= 0:
//
//   mean = floor(t / taps) - offset,   t = sum + bias - (sum < tie)
//
// The bias contains half of the taps, and the offset times the taps. If halves can occur and the type is signed, `tie`
// makes t one less for negative sums, so that negative halves go down. Both formulas avoid a division:
//
// - Narrow, up to TVMQ_MEAN_NARROW taps of bytes: t fits 15 bits, and floor(t / taps) is
//   ((t * multiplier + 2^14) >> 15) >> shift. Proof: let r = 2^(15 + shift) / taps. r is above 2^14, and 2^15 if
//   `taps` is a power of two. The multiplier is at most r, and less than 1 or exactly 1 below r. As t <= 2^14, the sum
//   before the shifts is in [t * r, t * r + 2^14]. So it is below (t + 1) * r, and the quotient is floor(t / taps).
// - Wide, up to tvmq_mean_most_taps(): float(t) * inverse, truncated, is floor(t / taps) or differs from it by 1. Three
//   roundings of 2^-24 change a quotient of at most 2^16 by less than 0.02. The remainder of t then gives the exact
//   quotient.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"

struct tvmq_mean {
  int32_t taps, bias, tie;
  int16_t multiplier, shift;  // up to TVMQ_MEAN_NARROW taps
  float inverse;
};

enum { TVMQ_MEAN_NARROW = 64 };

// Returns whether windows of at most `rows` x `columns` inputs use the narrow formula. Windows then slide.
static inline bool tvmq_mean_is_narrow(enum tvmq_type type, size_t rows, size_t columns) { return type != TVMQ_TYPE_S16 && rows * columns <= TVMQ_MEAN_NARROW; }

// Returns the largest supported number of taps. With more taps, t may exceed int32; with twice as many, the reference's
// sum may.
static inline int32_t tvmq_mean_most_taps(enum tvmq_type type) { return type == TVMQ_TYPE_S16 ? 1 << 15 : 1 << 23; }

// Returns the number that makes the smallest value of the type 0 when added to it.
static inline int32_t tvmq_mean_offset(enum tvmq_type type) { return -tvmq_type_range(type).min; }

static inline struct tvmq_mean tvmq_mean(enum tvmq_type type, int32_t taps) {
  const int32_t offset = tvmq_mean_offset(type);
  struct tvmq_mean mean = {.taps = taps, .bias = offset * taps + taps / 2, .tie = offset > 0 && taps % 2 == 0 ? 0 : INT32_MIN, .inverse = 1.0f / (float)taps};
  if (taps > TVMQ_MEAN_NARROW) return mean;
  while (taps >> mean.shift > 1) mean.shift++;
  const int32_t multiplier = (1 << (15 + mean.shift)) / taps;
  mean.multiplier = (int16_t)(multiplier < INT16_MAX ? multiplier : INT16_MAX);
  return mean;
}

// Compute the mean from a sum: with the narrow formula (up to TVMQ_MEAN_NARROW taps of bytes), and with the wide
// formula.
static inline int32_t tvmq_mean_narrow(const struct tvmq_mean *mean, int32_t sum, enum tvmq_type type) {
  const int32_t t = sum + mean->bias - (sum < mean->tie);
  return ((t * mean->multiplier + (1 << 14)) >> 15 >> mean->shift) - tvmq_mean_offset(type);
}

static inline int32_t tvmq_mean_wide(const struct tvmq_mean *mean, int32_t sum, enum tvmq_type type) {
  const int32_t t = sum + mean->bias - (sum < mean->tie), near = (int32_t)((float)t * mean->inverse);
  const int64_t rest = t - (int64_t)near * mean->taps;
  return near - (rest < 0) + (rest >= mean->taps) - tvmq_mean_offset(type);
}
