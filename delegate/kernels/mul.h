// Products of two tensors, element by element.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/stage.h"

// ---- mul: out[i] = requantize(bias + (a - zero_point_a) * (b - zero_point_b)), a = in[0][i] and b = in[1][i % n], i < rows * n
//
// Bias, multiplier and shift are those of a channel of a panel, in float form where the variant has TVMQ_FLOAT_STAGE and the caller has a proof for every
// product; else the bias is 0. int16 have zero points 0. Rows are whole cache lines if several; then the output may be the first input, else either.
struct tvmq_mul_args {
  const void *in[2];
  void *out;
  size_t n, rows;
  int32_t in_zero_point[2];
  int32_t bias, multiplier, shift;
  struct tvmq_stage stage;  // its flip is also that of the bytes read
};
typedef void (*tvmq_mul_fn)(const struct tvmq_mul_args *args);
