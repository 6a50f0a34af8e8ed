// Float32 arithmetic between hybrid convolutions. Every operation is rounded separately: the kernels are compiled
// without contraction (meson.build).
#pragma once

#include <stdbool.h>
#include <stddef.h>

// ---- float_pair: out[i] = clamp(x op y), x = in[0][i], y = in[1][i]. A lone input has one element per row.
//
// The operations and their formulas. A NaN stays NaN in arithmetic. Comparisons with NaN are false, so GREATER and
// LESSER give y.
#define TVMQ_FLOAT_OPERATIONS(OPERATION)          \
  OPERATION(ADD, x + y)                           \
  OPERATION(SUBTRACT, x - y)                      \
  OPERATION(MULTIPLY, (x * y))                    \
  OPERATION(DIVIDE, x / y)                        \
  OPERATION(SQUARE_DIFFERENCE, (x - y) * (x - y)) \
  OPERATION(GREATER, x > y ? x : y)               \
  OPERATION(LESSER, x < y ? x : y)                \
  OPERATION(BEND, x >= 0 ? x : x * y)

enum tvmq_float_operation {
#define OPERATION(NAME, value) TVMQ_FLOAT_##NAME,
  TVMQ_FLOAT_OPERATIONS(OPERATION)
#undef OPERATION
};

// Elements in a block of a row. Rows that are a multiple of a block need no remainder loop.
enum { TVMQ_FLOAT_ROW = 16 };

struct tvmq_float_pair_args {
  const float *in[2];
  float *out;
  size_t n, rows;  // elements per row, and number of contiguous rows
  bool lone[2];    // the input has a single element per row; never both inputs. If neither is lone, `rows` is 1
  enum tvmq_float_operation operation;
  float min, max;
};
typedef void (*tvmq_float_pair_fn)(const struct tvmq_float_pair_args *args);

// ---- float_map: out[i] = f(x), x = in[i]; NaN stays NaN
//
// The functions and their formulas; gate(x) is x + 3 clamped to [0, 6].
#define TVMQ_FLOAT_MAPPINGS(MAPPING)     \
  MAPPING(HARD_SWISH, (x * gate(x)) / 6) \
  MAPPING(BEND, x > 0 ? x : x * slope)   \
  MAPPING(CLAMP, clamped(x, min, max))   \
  MAPPING(ABSOLUTE, fabsf(x))            \
  MAPPING(NEGATIVE, -x)                  \
  MAPPING(SQUARE, (x * x))               \
  MAPPING(ROOT, sqrtf(x))                \
  MAPPING(INVERSE_ROOT, 1 / sqrtf(x))

enum tvmq_float_mapping {
#define MAPPING(NAME, value) TVMQ_MAP_##NAME,
  TVMQ_FLOAT_MAPPINGS(MAPPING)
#undef MAPPING
};

struct tvmq_float_map_args {
  const float *in;
  float *out;
  size_t n;
  enum tvmq_float_mapping mapping;
  float slope;     // only for BEND
  float min, max;  // only for CLAMP
};
typedef void (*tvmq_float_map_fn)(const struct tvmq_float_map_args *args);

// ---- float_product: out[m][n] = clamp(sum of left[m][k] * right[k][n] + bias[n]); matrices are contiguous
//
// Products are added to +0 one by one, from the first depth to the last.
struct tvmq_float_product_args {
  const float *left, *right;
  size_t rows, depth, columns;
  size_t separate;    // number of leading products that are rounded before they are added; the others are fused with the sum
  const float *bias;  // [columns], or NULL: nothing is added
  float *out;
  float min, max;
};
typedef void (*tvmq_float_product_fn)(const struct tvmq_float_product_args *args);

// ---- float_pool: out[c] = clamp(mean or maximum of in[y][x][c] over a window), in order of rows y, then columns x
//
// The maximum starts at the lowest finite number and ignores NaN.
struct tvmq_float_pool_args {
  const float *in;                // the window's first element
  size_t row_stride, col_stride;  // elements
  size_t n_rows, n_cols;          // size of the window
  size_t channels;
  float *out;
  bool largest;
  float min, max;
};
typedef void (*tvmq_float_pool_fn)(const struct tvmq_float_pool_args *args);
