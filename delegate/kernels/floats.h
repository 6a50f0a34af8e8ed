// Arithmetic on float32, as it stands between hybrid convolutions. Every operation rounds for itself: these files are compiled without contraction
// (meson.build).
#pragma once

#include <stdbool.h>
#include <stddef.h>

// ---- float_pair: out[i] = clamp(in[0][i] op in[1][i]); what is no number stays so
enum tvmq_float_operation { TVMQ_FLOAT_ADD, TVMQ_FLOAT_SUBTRACT, TVMQ_FLOAT_MULTIPLY };

struct tvmq_float_pair_args {
  const float *in[2];
  float *out;
  size_t n;
  enum tvmq_float_operation operation;
  float min, max;
};
typedef void (*tvmq_float_pair_fn)(const struct tvmq_float_pair_args *args);

// ---- float_map: out[i] = function of in[i]; what is no number stays so
enum tvmq_float_mapping {
  TVMQ_MAP_HARD_SWISH,  // x * (x + 3, from 0 to 6) / 6
  TVMQ_MAP_BEND,        // x, times `slope` unless above 0
  TVMQ_MAP_ABSOLUTE
};

struct tvmq_float_map_args {
  const float *in;
  float *out;
  size_t n;
  enum tvmq_float_mapping mapping;
  float slope;
};
typedef void (*tvmq_float_map_fn)(const struct tvmq_float_map_args *args);

// ---- float_pool: out[c] = clamp(mean, or largest, over the rows y and the columns x of a window, one after the other, of in[y][x][c])
//
// The largest begins with the least finite number, and passes over what is no number.
struct tvmq_float_pool_args {
  const float *in;                // the window's first element
  size_t row_stride, col_stride;  // elements
  size_t n_rows, n_cols;          // of the window
  size_t channels;
  float *out;
  bool largest;
  float min, max;
};
typedef void (*tvmq_float_pool_fn)(const struct tvmq_float_pool_args *args);
