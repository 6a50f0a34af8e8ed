// Products of two tensors, and squares of their difference, element by element.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"

// ---- mul: out[i] = requantize(bias + x * y), of a = in[0][i] and b = in[1][i % n], i < rows * n
//
// x = a - zero_point_a and y = b - zero_point_b. With `difference`, of bytes: x = y = rescale((a - zero_point_a) << 7) -
// rescale((b - zero_point_b) << 7). One input at least is rescaled by a half, and so exactly, the other by no more:
// differences fit int16. No square is negative: reference rounding is upward rounding, which is faster.
//
// Bias, multiplier and shift are those of a channel of a panel, in float form where the variant has TVMQ_FLOAT_STAGE and
// the caller has a proof for every product; else, and with `difference`, the bias is 0. int16 have zero points 0. Rows are
// whole cache lines if several; then the output may be the first input, else either.
enum { TVMQ_SQUARE_SHIFT = 7 };

struct tvmq_mul_args {
  const void *in[2];
  void *out;
  size_t n, rows;
  int32_t in_zero_point[2];
  bool difference;
  enum tvmq_rounding rounding;    // difference: of the inputs; that of squares is the stage's
  struct tvmq_scale in_scale[2];  // difference
  int32_t bias, multiplier, shift;
  struct tvmq_stage stage;  // its flip is also that of the bytes read
};
typedef void (*tvmq_mul_fn)(const struct tvmq_mul_args *args);

// The difference that SQUARED_DIFFERENCE squares: both elements at one scale with seven bits more.
static inline int32_t tvmq_difference(const struct tvmq_mul_args *args, int32_t a, int32_t b) {
  const int32_t x = (a - args->in_zero_point[0]) * (1 << TVMQ_SQUARE_SHIFT), y = (b - args->in_zero_point[1]) * (1 << TVMQ_SQUARE_SHIFT);
  return tvmq_rescale(args->rounding, x, args->in_scale[0].multiplier, args->in_scale[0].shift) -
         tvmq_rescale(args->rounding, y, args->in_scale[1].multiplier, args->in_scale[1].shift);
}
