// Linear interpolation between rows and columns: what the kernels are asked for.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/between.h"

// ---- interpolate: out[i] = (rows[0][i] * weights[0] + rows[1][i] * weights[1]) / 2^shift, rounded half away from zero
//
// Before, rows whose inputs are given are made of them: rows[r][x][c] = in[r][at[0]][c] * weights[0] + in[r][at[1]][c] * weights[1] of columns[x]. The type is
// that of what is stored; for bytes sums fit int32, and their low eight bits are stored, which serves uint8 as well. Results fit the type.
struct tvmq_interpolate_args {
  const void *in[2];  // pixels side by side; NULL: the row is made already
  bool is_unsigned;   // inputs are uint8
  const struct tvmq_between *columns;
  size_t n_columns, channels;
  int32_t *rows[2];  // [n_columns][channels]; one if the two are the same
  int32_t weights[2];
  int32_t shift;
  void *out;
};
typedef void (*tvmq_interpolate_fn)(const struct tvmq_interpolate_args *args);
