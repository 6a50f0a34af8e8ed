// The mean of a window of an average pooling as TFLite's reference kernels round it: to the nearest; halves away from zero for int8 and int16, upwards for
// uint8. In terms of what is positive:
//
//   mean = floor(t / taps) - offset,   t = sum + bias - (sum < tie)
//
// The bias holds half of the taps besides the offsets. If there can be halves, and the type is signed, a negative one goes down: one less. No mean takes a
// division:
//
// - Up to TVMQ_MEAN_NARROW taps of bytes t fits 15 bits, and floor(t / taps) is ((t * multiplier + 2^14) >> 15) >> shift. Proof: r = 2^(15 + shift) / taps is
//   above 2^14 unless taps are a power of two and then 2^15; the multiplier is at most r and less than 1 short of it, or exactly 1. As t <= 2^14, the sum
//   before the shifts is in [t * r, t * r + 2^14], and t + 1 taps' shares r are more than that.
// - Up to tvmq_mean_most_taps it is float(t) * inverse, truncated, or 1 beside it: three roundings of 2^-24 err by less than 0.02 of at most 2^16. What is left
//   of t tells.
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

// Whether windows of up to so many rows and columns in the input take the first way; then they slide.
static inline bool tvmq_mean_is_narrow(enum tvmq_type type, size_t rows, size_t columns) { return type != TVMQ_TYPE_S16 && rows * columns <= TVMQ_MEAN_NARROW; }

// Beyond that t may exceed int32, and at twice as many the reference's sum.
static inline int32_t tvmq_mean_most_taps(enum tvmq_type type) { return type == TVMQ_TYPE_S16 ? 1 << 15 : 1 << 23; }

// Added to the smallest value of the type makes 0.
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

// By the first way, and by the second.
static inline int32_t tvmq_mean_narrow(const struct tvmq_mean *mean, int32_t sum, enum tvmq_type type) {
  const int32_t t = sum + mean->bias - (sum < mean->tie);
  return ((t * mean->multiplier + (1 << 14)) >> 15 >> mean->shift) - tvmq_mean_offset(type);
}

static inline int32_t tvmq_mean_wide(const struct tvmq_mean *mean, int32_t sum, enum tvmq_type type) {
  const int32_t t = sum + mean->bias - (sum < mean->tie), near = (int32_t)((float)t * mean->inverse);
  const int64_t rest = t - (int64_t)near * mean->taps;
  return near - (rest < 0) + (rest >= mean->taps) - tvmq_mean_offset(type);
}
