// Kernels of float32 arithmetic: plain C, vectorized by the compiler for the instruction set ISA, which the includer
// defines.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

#define PASTE(family, isa) tvmq_##family##__##isa
#define SYMBOL(family, isa) PASTE(family, isa)

enum { LANES = 64, BLOCK = TVMQ_FLOAT_ROW };

TVMQ_INLINE float clamped(float x, float min, float max) {
  x = x < min ? min : x;
  return x > max ? max : x;
}

TVMQ_INLINE float combined(enum tvmq_float_operation operation, float x, float y) {
  switch (operation) {
#define OPERATION(NAME, value) \
  case TVMQ_FLOAT_##NAME:      \
    return value;
    TVMQ_FLOAT_OPERATIONS(OPERATION)
#undef OPERATION
  }
  __builtin_unreachable();
}

TVMQ_INLINE void combine(const struct tvmq_float_pair_args *args, enum tvmq_float_operation operation) {
  const float *restrict x = args->in[0], *restrict y = args->in[1];
  float *restrict out = args->out;
  const float min = args->min, max = args->max;
  const size_t n = args->n;
  for (size_t i = 0; i < n; i++) out[i] = clamped(combined(operation, x[i], y[i]), min, max);
}

// Combines a row with its lone element. `first`: the lone element is the first operand. Blocks have a constant length,
// so that short rows skip the tests by which compilers select a loop.
TVMQ_INLINE void combine_row(const struct tvmq_float_pair_args *args, enum tvmq_float_operation operation, const float *restrict x, float lone, bool first,
                             float *restrict out) {
  const float min = args->min, max = args->max;
  const size_t n = args->n, done = n - n % BLOCK;
#define COMBINE(i) out[i] = clamped(combined(operation, first ? lone : x[i], first ? x[i] : lone), min, max)
  for (size_t i = 0; i < done; i += BLOCK) {
#pragma GCC unroll 1
    for (size_t j = i; j < i + BLOCK; j++) COMBINE(j);
  }
  for (size_t i = done; i < n; i++) COMBINE(i);
#undef COMBINE
}

TVMQ_INLINE void combine_rows(const struct tvmq_float_pair_args *args, enum tvmq_float_operation operation, bool first) {
  const float *const x = args->in[first], *const lone = args->in[!first];
  for (size_t row = 0; row < args->rows; row++) combine_row(args, operation, x + row * args->n, lone[row], first, args->out + row * args->n);
}

TVMQ_INLINE void combine_any(const struct tvmq_float_pair_args *args, enum tvmq_float_operation operation) {
  if (args->lone[0])
    combine_rows(args, operation, true);
  else if (args->lone[1])
    combine_rows(args, operation, false);
  else
    combine(args, operation);
}

void SYMBOL(float_pair, ISA)(const struct tvmq_float_pair_args *args) {
  switch (args->operation) {
#define OPERATION(NAME, value)            \
  case TVMQ_FLOAT_##NAME:                 \
    combine_any(args, TVMQ_FLOAT_##NAME); \
    break;
    TVMQ_FLOAT_OPERATIONS(OPERATION)
#undef OPERATION
  }
}

// Returns x + 3 clamped to [0, 6], or 0 for NaN.
TVMQ_INLINE float gate(float x) {
  const float risen = x + 3, above = risen > 0 ? risen : 0;
  return above < 6 ? above : 6;
}

TVMQ_INLINE float mapped(const struct tvmq_float_map_args *args, enum tvmq_float_mapping mapping, float x) {
  const float slope = args->slope, min = args->min, max = args->max;
  switch (mapping) {
#define MAPPING(NAME, value) \
  case TVMQ_MAP_##NAME:      \
    return value;
    TVMQ_FLOAT_MAPPINGS(MAPPING)
#undef MAPPING
  }
  __builtin_unreachable();
}

TVMQ_INLINE void map(const struct tvmq_float_map_args *call, enum tvmq_float_mapping mapping) {
  const struct tvmq_float_map_args args = *call;
  const float *restrict in = args.in;
  float *restrict out = args.out;
  for (size_t i = 0; i < args.n; i++) out[i] = mapped(&args, mapping, in[i]);
}

void SYMBOL(float_map, ISA)(const struct tvmq_float_map_args *args) {
  switch (args->mapping) {
#define MAPPING(NAME, value)    \
  case TVMQ_MAP_##NAME:         \
    map(args, TVMQ_MAP_##NAME); \
    break;
    TVMQ_FLOAT_MAPPINGS(MAPPING)
#undef MAPPING
  }
}

// Pools the n <= LANES channels from `first` on.
TVMQ_INLINE void pool_channels(const struct tvmq_float_pool_args *args, size_t first, size_t n, bool largest) {
  const size_t n_rows = args->n_rows, n_cols = args->n_cols, row_stride = args->row_stride, col_stride = args->col_stride;
  float result[LANES];
  for (size_t c = 0; c < n; c++) result[c] = largest ? -FLT_MAX : 0;
  for (size_t y = 0; y < n_rows; y++) {
    const float *in = args->in + first + y * row_stride;
    for (size_t x = 0; x < n_cols; x++, in += col_stride) {
      for (size_t c = 0; c < n; c++) result[c] = !largest ? result[c] + in[c] : in[c] > result[c] ? in[c] : result[c];
    }
  }
  const float taps = (float)(n_rows * n_cols);
  for (size_t c = 0; c < n; c++) args->out[first + c] = clamped(largest ? result[c] : result[c] / taps, args->min, args->max);
}

TVMQ_INLINE void pool(const struct tvmq_float_pool_args *call, bool largest) {
  const struct tvmq_float_pool_args args = *call;
  size_t first = 0;
  for (; first + LANES <= args.channels; first += LANES) pool_channels(&args, first, LANES, largest);
  for (; first + BLOCK <= args.channels; first += BLOCK) pool_channels(&args, first, BLOCK, largest);
  if (first < args.channels && args.channels >= BLOCK) first = args.channels - BLOCK;  // computes some channels again
  if (first + BLOCK == args.channels)
    pool_channels(&args, first, BLOCK, largest);
  else if (first < args.channels)
    pool_channels(&args, first, args.channels - first, largest);
}

void SYMBOL(float_pool, ISA)(const struct tvmq_float_pool_args *args) {
  if (args->largest)
    pool(args, true);
  else
    pool(args, false);
}
