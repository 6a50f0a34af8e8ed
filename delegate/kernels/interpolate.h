// Linear interpolation between rows and columns: the contract of the kernels.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/between.h"

// ---- interpolate: out[i] = (rows[0][i] * weights[0] + rows[1][i] * weights[1]) / 2^shift, rounded half away from zero
//
// First, the kernel makes each row r for which in[r] is given: rows[r][x][c] = in[r][at[0]][c] * weights[0] +
// in[r][at[1]][c] * weights[1], with at and weights of columns[x]. The variant's type is the type of the output. 8-bit
// outputs: sums fit int32, and the kernel stores the low eight bits, which serves int8 and uint8. Results fit the type.
struct tvmq_interpolate_args {
  const void *in[2];  // contiguous pixels; NULL: rows[r] is already made
  bool is_unsigned;   // inputs are uint8 instead of int8
  const struct tvmq_between *columns;
  size_t n_columns, channels;
  int32_t *rows[2];  // [n_columns][channels]; equal pointers if both rows are the same
  int32_t weights[2];
  int32_t shift;
  void *out;
};
typedef void (*tvmq_interpolate_fn)(const struct tvmq_interpolate_args *args);
