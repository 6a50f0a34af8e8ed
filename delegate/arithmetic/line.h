// Requantization of bytes in 16-bit arithmetic.
//
// There are only 256 inputs from int8 to int8. So planning can test a formula on all of them, although no theorem
// proves the formula exact (fit_line.h):
//
//   value(x) = sat8(sat16(product - (x < knee ? drop : 0) + bias) >> shift),   product = (256 x multiplier + 2^14) >> 15
//
// where sat8 and sat16 clamp to int8 and int16. The instructions sqrdmulh and pmulhrsw compute the product; each other
// term takes one instruction. Reference rounding rounds twice if it shifts to the right, which moves every value by up
// to 1/4 away from zero. `drop`, applied below the input zero point, compensates for this.
#pragma once

#include <stdint.h>

struct tvmq_line {
  int16_t multiplier;  // >= 0; at most 2^14 if there is a drop, so that the difference fits int16
  int16_t drop;        // [0, 128]
  int16_t bias;
  int8_t knee;
  uint8_t shift;  // [1, 8]
};

static inline int32_t tvmq_line_product(const struct tvmq_line *line, int8_t x) {
  return ((x * 256 * line->multiplier + (1 << 14)) >> 15) - (x < line->knee ? line->drop : 0);
}
