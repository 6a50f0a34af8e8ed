// Sums and differences of two tensors.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/plane.h"
#include "arithmetic/stage.h"

// Arguments of add kernels. kernels/add.h explains them.
struct tvmq_add_args {
  const void *in[2];
  void *out;
  size_t n, rows;  // elements of a row, and number of rows; rows are contiguous
  bool lone[2];    // whether the input has only one element for each row; not both. Neither: there is one row
  uint8_t flip;    // xor on each byte read and written: 0x80 for uint8 tensors
  bool minus[2];   // which of the inputs is subtracted; not both
  bool planar;     // out[i] = clamp(value of `plane`), or the listed exception
  struct tvmq_plane plane;
  enum tvmq_rounding rounding;
  int32_t left_shift;
  int32_t in_zero_point[2], out_zero_point;
  struct tvmq_scale in_scale[2], out_scale;  // in_scale[0] is 1/2 and in_scale[1] at most 1/2, so nothing wraps
  int32_t min, max;
};

// Returns what an element of input i adds to the sum: its value at the common scale of both inputs, with left_shift more
// bits, negated if the input is subtracted.
static inline int32_t tvmq_add_term(const struct tvmq_add_args *args, int i, int32_t element) {
  const int32_t raised = (element - args->in_zero_point[i]) * (1 << args->left_shift);
  const int32_t scaled = tvmq_rescale(args->rounding, raised, args->in_scale[i].multiplier, args->in_scale[i].shift);
  return args->minus[i] ? -scaled : scaled;
}

// Returns the sum or difference of two quantized elements, as the reference's ADD and SUB compute it. Both elements are
// rescaled to a common scale with left_shift more bits, and the sum is rescaled to the output's scale.
static inline int32_t tvmq_add_value(const struct tvmq_add_args *args, int32_t a, int32_t b) {
  const int32_t sum = tvmq_add_term(args, 0, a) + tvmq_add_term(args, 1, b);
  const int32_t value = tvmq_rescale(args->rounding, sum, args->out_scale.multiplier, args->out_scale.shift);
  return tvmq_clamp(tvmq_add_wrap(value, args->out_zero_point), args->min, args->max);
}
