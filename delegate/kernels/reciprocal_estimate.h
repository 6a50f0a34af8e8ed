// The reciprocal that Arm's processors compute by FRECPE and two steps of FRECPS, which the architecture defines bit for bit.
#pragma once

#include <stdint.h>
#include <string.h>

// Returns the estimate of 1 / x with 8 bits, for x whose reciprocal is a normal number.
static inline float tvmq_reciprocal_estimate(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint32_t a = 2 * (0x100 | (bits >> 15 & 0xff)) + 1;  // the middle of an interval of significands, with 10 bits
  const uint32_t estimate = ((1 << 19) / a + 1) / 2;
  bits = (bits & 0x80000000) | (253 - (bits >> 23 & 0xff)) << 23 | (estimate & 0xff) << 15;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline float tvmq_reciprocal(float x) {
  float y = tvmq_reciprocal_estimate(x);
  y = y * __builtin_fmaf(-x, y, 2);
  return y * __builtin_fmaf(-x, y, 2);
}
