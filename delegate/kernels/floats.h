// Arithmetic on float32, as it stands between hybrid convolutions. Every operation rounds for itself: these files are compiled without contraction
// (meson.build).
#pragma once

#include <stdbool.h>
#include <stddef.h>

// ---- float_pair: out[i] = clamp(x op y), x being in[0][i] and y in[1][i]; of an input that is lone, the element of i's row
//
// The operations, and what each computes. What is no number stays so, but a comparison with it is false: then the greater and the lesser are y.
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

// Rows of a multiple of so many elements are computed without a loop for the rest.
enum { TVMQ_FLOAT_ROW = 16 };

struct tvmq_float_pair_args {
  const float *in[2];
  float *out;
  size_t n, rows;  // elements of a row, and rows, which lie one after the other
  bool lone[2];    // the input has but one element for each row; not both. Neither: there is one row
  enum tvmq_float_operation operation;
  float min, max;
};
typedef void (*tvmq_float_pair_fn)(const struct tvmq_float_pair_args *args);

// ---- float_map: out[i] = function of x, which is in[i]; what is no number stays so
//
// The functions, and what each computes; gate(x) is x + 3, from 0 to 6.
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
  float slope;     // BEND's
  float min, max;  // CLAMP's
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
