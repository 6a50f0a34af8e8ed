// Squared differences of two tensors of bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/stage.h"

// ---- square: out[i] = requantize(difference^2), of bytes; difference = rescale((a - zero_point_a) << 7) - rescale((b - zero_point_b) << 7), a = in[0][i]
// and b = in[1][i % n], i < rows * n
//
// One input at least is rescaled by a half, and so exactly, the other by no more: differences fit int16. Multiplier and shift are those of a channel of a
// panel, in float form where the variant has TVMQ_FLOAT_STAGE and the caller has a proof for every square. No square is negative: reference rounding is upward
// rounding, which is faster. Rows are whole cache lines if several. The inputs may be one tensor.
enum { TVMQ_SQUARE_SHIFT = 7 };

struct tvmq_square_args {
  const void *in[2];
  void *out;
  size_t n, rows;
  enum tvmq_rounding rounding;  // of the inputs; that of squares is the stage's
  int32_t in_zero_point[2];
  struct tvmq_scale in_scale[2];
  int32_t multiplier, shift;
  struct tvmq_stage stage;  // its flip is also that of the bytes read
};
typedef void (*tvmq_square_fn)(const struct tvmq_square_args *args);

// The difference that SQUARED_DIFFERENCE squares: both elements at one scale with seven bits more.
static inline int32_t tvmq_difference(const struct tvmq_square_args *args, int32_t a, int32_t b) {
  const int32_t x = (a - args->in_zero_point[0]) * (1 << TVMQ_SQUARE_SHIFT), y = (b - args->in_zero_point[1]) * (1 << TVMQ_SQUARE_SHIFT);
  return tvmq_rescale(args->rounding, x, args->in_scale[0].multiplier, args->in_scale[0].shift) -
         tvmq_rescale(args->rounding, y, args->in_scale[1].multiplier, args->in_scale[1].shift);
}
