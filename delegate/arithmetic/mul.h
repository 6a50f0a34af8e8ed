// Products of two tensors, and squares of their difference, element by element.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"

enum { TVMQ_SQUARE_SHIFT = 7 };

// Arguments of mul kernels. kernels/mul.h explains them.
struct tvmq_mul_args {
  const void *in[2];
  void *out;
  size_t n, rows;
  int32_t in_zero_point[2];
  bool difference;
  enum tvmq_rounding rounding;    // difference only: rounding of the inputs; squares use stage.rounding
  struct tvmq_scale in_scale[2];  // difference
  int32_t bias, multiplier, shift;
  struct tvmq_stage stage;  // its flip also applies to the bytes read
};

// Returns the difference that SQUARED_DIFFERENCE squares: both elements are rescaled to one scale with seven more bits.
static inline int32_t tvmq_difference(const struct tvmq_mul_args *args, int32_t a, int32_t b) {
  const int32_t x = (a - args->in_zero_point[0]) * (1 << TVMQ_SQUARE_SHIFT), y = (b - args->in_zero_point[1]) * (1 << TVMQ_SQUARE_SHIFT);
  return tvmq_rescale(args->rounding, x, args->in_scale[0].multiplier, args->in_scale[0].shift) -
         tvmq_rescale(args->rounding, y, args->in_scale[1].multiplier, args->in_scale[1].shift);
}
