// Folds all terms that do not depend on the input into the bias, and proves bounds of a channel's accumulator.
//
//   sum (x - zx)(w - zw) + bias  =  sum x w  -  zw sum x  +  [ bias - zx sum w + n zx zw ]
//                                  kernel       row term          folded bias
//
// x is the kernel's operand (int8 value + a_offset) and zx its zero point; w is the int8 weight (uint8 weight - 128)
// and zw its zero point. Sums run over n taps and depths, padding included (padding holds zx and so contributes
// nothing).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Weights of one output channel, read with strides from the filter tensor.
struct tvmq_channel {
  const uint8_t *weights;         // first weight, as stored
  uint8_t flip;                   // 0x80 for a uint8 filter
  int32_t zero_point;             // of the int8 weight
  size_t n_taps, tap_stride;      // elements (bytes)
  size_t n_depths, depth_stride;  // elements (bytes)
};

struct tvmq_folded {
  int64_t bias;    // folded; 8-bit kernels take it modulo 2^32
  int64_t lo, hi;  // bounds of the whole accumulator for any input of [in_min, in_max] (int8/int16 values), bias included
};

// Sums of the differences weight - zero point: of all differences, and of the positive ones.
struct tvmq_sums {
  int64_t all, positive;
};
struct tvmq_sums tvmq_channel_sums(const struct tvmq_channel *channel);

// Folds a channel. in_zero_point, in_min, in_max: zero point and range of the int8 (int16) value; a_offset: as in the
// layout. Inline, so that the result stays in registers: processors stall if a value is written in parts and then read
// as a whole.
static inline struct tvmq_folded tvmq_fold(const struct tvmq_channel *channel, int64_t bias, int32_t in_zero_point, int32_t a_offset, int32_t in_min,
                                           int32_t in_max) {
  // The sums of positive and of negative differences suffice. An accumulator is largest if each x is at the end of its
  // range that matches the sign of the difference. |w - zw| < 2^8 and |x - zx| < 2^17, so nothing overflows below 2^37
  // weights. A bias that exceeds every accumulator is clamped to a value that still exceeds every accumulator.
  const struct tvmq_sums sums = tvmq_channel_sums(channel);
  const int64_t positive = sums.positive, negative = sums.all - sums.positive;
  const int64_t limit = INT64_C(1) << 62;
  const int64_t bounded = bias < -limit ? -limit : bias > limit ? limit : bias;
  const int64_t below = (int64_t)in_min - in_zero_point, above = (int64_t)in_max - in_zero_point;
  return (struct tvmq_folded){
      .bias = bounded - ((int64_t)in_zero_point + a_offset) * sums.all,
      .lo = bounded + positive * below + negative * above,
      .hi = bounded + positive * above + negative * below,
  };
}
