// Product of two matrices of float32, for the instruction set ISA with vectors of VECTOR bytes, VECTORS of which are computed
// together: the includer defines these. Lanes are columns: each lane adds its products in the definition's order. The last
// rows and columns overlap those before.
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

#define PASTE(family, isa) tvmq_##family##__##isa
#define SYMBOL(family, isa) PASTE(family, isa)

// Vectors with the masks that their comparisons give.
typedef float wide __attribute__((vector_size(VECTOR)));
typedef int32_t wide_mask __attribute__((vector_size(VECTOR)));
typedef float narrow __attribute__((vector_size(16)));
typedef int32_t narrow_mask __attribute__((vector_size(16)));
typedef float single __attribute__((vector_size(4)));
typedef int32_t single_mask __attribute__((vector_size(4)));

// Besides the sums of a tile, registers hold a term of each vector, an element of a row, and a product.
enum { ROWS = 6 };

// Defines compute_<vector>, which computes `vectors` vectors of columns from `column` on, of `rows` rows from `row` on.
#define COMPUTE(vector)                                                                                                                                   \
  TVMQ_INLINE vector choose_##vector(vector##_mask mask, vector x, vector y) { return (vector)((mask & (vector##_mask)x) | (~mask & (vector##_mask)y)); } \
  TVMQ_INLINE void compute_##vector(const struct tvmq_float_product_args *args, size_t row, size_t column, size_t rows, size_t vectors) {                 \
    enum { LANES = sizeof(vector) / sizeof(float) };                                                                                                      \
    const float *const left = args->left + row * args->depth, *right = args->right + column;                                                              \
    const vector min = args->min - (vector){0}, max = args->max - (vector){0};                                                                            \
    vector sums[ROWS][VECTORS], terms[VECTORS];                                                                                                           \
    UNROLL for (size_t m = 0; m < rows; m++) UNROLL for (size_t v = 0; v < vectors; v++) sums[m][v] = (vector){0};                                        \
    for (size_t k = 0; k < args->separate; k++, right += args->columns) {                                                                                 \
      UNROLL for (size_t v = 0; v < vectors; v++) memcpy(&terms[v], right + v * LANES, sizeof(vector));                                                   \
      UNROLL for (size_t m = 0; m < rows; m++) UNROLL for (size_t v = 0; v < vectors; v++) sums[m][v] += terms[v] * left[m * args->depth + k];            \
    }                                                                                                                                                     \
    for (size_t k = args->separate; k < args->depth; k++, right += args->columns) {                                                                       \
      UNROLL for (size_t m = 0; m < rows; m++) {                                                                                                          \
        UNROLL for (size_t v = 0; v < vectors; v++) {                                                                                                     \
          for (size_t i = 0; i < LANES; i++) sums[m][v][i] = __builtin_fmaf(right[v * LANES + i], left[m * args->depth + k], sums[m][v][i]);              \
        }                                                                                                                                                 \
      }                                                                                                                                                   \
    }                                                                                                                                                     \
    UNROLL for (size_t v = 0; v < vectors; v++) {                                                                                                         \
      terms[v] = (vector){0};                                                                                                                             \
      if (args->bias != NULL) memcpy(&terms[v], args->bias + column + v * LANES, sizeof(vector));                                                         \
    }                                                                                                                                                     \
    float *out = args->out + row * args->columns + column;                                                                                                \
    UNROLL for (size_t m = 0; m < rows; m++, out += args->columns) {                                                                                      \
      UNROLL for (size_t v = 0; v < vectors; v++) {                                                                                                       \
        vector value = sums[m][v] + terms[v];                                                                                                             \
        value = choose_##vector((vector##_mask)(value < min), min, value);                                                                                \
        value = choose_##vector((vector##_mask)(value > max), max, value);                                                                                \
        memcpy(out + v * LANES, &value, sizeof value);                                                                                                    \
      }                                                                                                                                                   \
    }                                                                                                                                                     \
  }
COMPUTE(wide)
COMPUTE(narrow)
COMPUTE(single)
#undef COMPUTE

// Computes all rows of some columns. The last rows overlap those before.
#define COLUMNS(vector, column, vectors)                                                                             \
  do {                                                                                                               \
    if (args.rows < ROWS) {                                                                                          \
      for (size_t row = 0; row < args.rows; row++) compute_##vector(&args, row, column, 1, vectors);                 \
    } else {                                                                                                         \
      for (size_t row = 0; row + ROWS < args.rows; row += ROWS) compute_##vector(&args, row, column, ROWS, vectors); \
      compute_##vector(&args, args.rows - ROWS, column, ROWS, vectors);                                              \
    }                                                                                                                \
  } while (0)

// Computes the columns by `vectors` vectors at a time, if there are that many columns.
#define PRODUCT(vector, vectors)                                                                            \
  do {                                                                                                      \
    const size_t step = (vectors) * sizeof(vector) / sizeof(float);                                         \
    if (args.columns < step) break;                                                                         \
    for (size_t column = 0; column + step < args.columns; column += step) COLUMNS(vector, column, vectors); \
    COLUMNS(vector, args.columns - step, vectors);                                                          \
    return;                                                                                                 \
  } while (0)

void SYMBOL(float_product, ISA)(const struct tvmq_float_product_args *call) {
  const struct tvmq_float_product_args args = *call;  // copied, because the compiler must assume that stores change *call
  PRODUCT(wide, VECTORS);
  PRODUCT(wide, 1);
  PRODUCT(narrow, 1);
  PRODUCT(single, 1);
}
