// Folds all terms that do not depend on the input into the bias, and proves bounds of a channel's accumulator.
//
//   sum (x - zx)(w - zw) + bias  =  sum x w  -  zw sum x  +  [ bias - zx sum w + n zx zw ]
//                                  kernel       row term          folded bias
//
// x is the kernel's operand (int8 value + a_offset) and zx its zero point; w is the int8 weight (a uint8 weight less 128) and zw its zero point. Sums run over
// n taps and depths, padding included (padding holds zx and so contributes nothing).
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

// `in_zero_point` of the int8 (int16) value; `a_offset` as in the layout; in_min, in_max: range of the int8 (int16) value.
struct tvmq_folded tvmq_fold(const struct tvmq_channel *channel, int64_t bias, int32_t in_zero_point, int32_t a_offset, int32_t in_min, int32_t in_max);
