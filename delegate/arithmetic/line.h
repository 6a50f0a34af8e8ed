// Requantization of bytes in 16 bits.
//
// From int8 to int8 there are 256 inputs, so a formula that no theorem makes exact can be tried on all of them when planning (fit_line.h):
//
//   value(x) = sat8(sat16(product - (x < knee ? drop : 0) + bias) >> shift),   product = (256 x multiplier + 2^14) >> 15
//
// where sat8 and sat16 clamp to int8 and int16. The product is what sqrdmulh and pmulhrsw compute, and all else is one instruction for each term. Reference
// rounding rounds twice where it shifts to the right, which moves every value by up to a quarter away from zero: hence `drop`, below the input zero point.
#pragma once

#include <stdint.h>

struct tvmq_line {
  int16_t multiplier;  // >= 0; at most 2^14 where there is a drop, so that the difference fits int16
  int16_t drop;        // [0, 128]
  int16_t bias;
  int8_t knee;
  uint8_t shift;  // [1, 8]
};

static inline int32_t tvmq_line_product(const struct tvmq_line *line, int8_t x) {
  return ((x * 256 * line->multiplier + (1 << 14)) >> 15) - (x < line->knee ? line->drop : 0);
}
