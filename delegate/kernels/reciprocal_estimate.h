// The reciprocal that Arm's processors compute by FRECPE and two steps of FRECPS, which the architecture defines bit for bit.
#pragma once

#include <stdint.h>

#include "base/float_bits.h"

// Returns the estimate of 1 / x with 8 bits, for x whose reciprocal is a normal number.
static inline float tvmq_reciprocal_estimate(float x) {
  const uint32_t bits = (uint32_t)tvmq_float_bits(x), exponent = bits >> 23 & 0xff, significand = 0x100 | (bits >> 15 & 0xff);
  const uint32_t estimate = ((1 << 19) / (2 * significand + 1) + 1) / 2;  // of the middle of the interval that the 9 bits stand for
  return tvmq_float_of((int32_t)((bits & 0x80000000) | (253 - exponent) << 23 | (estimate & 0xff) << 15));
}

static inline float tvmq_reciprocal(float x) {
  float y = tvmq_reciprocal_estimate(x);
  y = y * __builtin_fmaf(-x, y, 2);
  return y * __builtin_fmaf(-x, y, 2);
}
