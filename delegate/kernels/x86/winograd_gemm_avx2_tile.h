// Body of the gemms at one Winograd point in 256-bit vectors. The includer defines
//   SYMBOL           name
//   MULTIPLY_ADD     text of the instructions that add the dot products of pairs %1 and %2, in each 32-bit lane, to %0
//   TEMPORARIES      number of further registers that MULTIPLY_ADD needs, 0 or 1
//
// Tile: 2, 4 or 6 rows x 16 channels. Reads: each row four bytes at a time, broadcast; one group of 16 x 2 weights, two
// vectors. Prefetches weights 2 KB ahead to the first level of cache, at the end of a point those of the next point. k
// is a multiple of 2.
// Registers: ymm0-11 accumulators, two of weights, one of a row; the last holds a product.
// Hazards: the products are assembly. With intrinsics, compilers hoist more of the products than there are registers.
#include <immintrin.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

enum { MAX_ROWS = 6, ROW_STEP = 2, CHANNELS = 16, VECTORS = 2, FETCH_AHEAD = 2048 };

#if TEMPORARIES
TVMQ_INLINE void multiply_add(__m256i *acc, __m256i row, __m256i weights) {
  __m256i product;
  __asm__(MULTIPLY_ADD : "+x"(*acc), "=&x"(product) : "x"(row), "x"(weights));
}
#else
TVMQ_INLINE void multiply_add(__m256i *acc, __m256i row, __m256i weights) { __asm__(MULTIPLY_ADD : "+x"(*acc) : "x"(row), "x"(weights)); }
#endif

TVMQ_INLINE void tile(const struct tvmq_winograd_gemm_args *args, const int16_t *values, int32_t *sums, int rows) {
  __m256i acc[MAX_ROWS][VECTORS];
  UNROLL for (int m = 0; m < rows; m++) { UNROLL for (int v = 0; v < VECTORS; v++) acc[m][v] = _mm256_setzero_si256(); }
  const int16_t *weights = args->weights;
  for (size_t k = 0; k < args->k; k += 2, weights += 2 * CHANNELS) {
    const __m256i w0 = _mm256_loadu_si256((const __m256i *)weights), w1 = _mm256_loadu_si256((const __m256i *)(weights + CHANNELS));
    _mm_prefetch((const char *)weights + FETCH_AHEAD, _MM_HINT_T0);
    UNROLL for (int m = 0; m < rows; m++) {
      int32_t pair;
      memcpy(&pair, values + (size_t)m * args->values_stride + k, sizeof pair);
      const __m256i row = _mm256_set1_epi32(pair);
      multiply_add(&acc[m][0], row, w0);
      multiply_add(&acc[m][1], row, w1);
    }
  }
  UNROLL for (int m = 0; m < rows; m++) { UNROLL for (int v = 0; v < VECTORS; v++) _mm256_storeu_si256((__m256i *)(sums + m * CHANNELS + 8 * v), acc[m][v]); }
}

void SYMBOL(const struct tvmq_winograd_gemm_args *args) {
  size_t rows;
  for (size_t row = 0; row < args->n_rows; row += rows) {
    const int16_t *values = args->values + row * args->values_stride;
    int32_t *sums = args->sums + row * CHANNELS;
    rows = tvmq_winograd_rows(args->n_rows - row, MAX_ROWS, ROW_STEP);
    if (rows == 6) {
      tile(args, values, sums, 6);
    } else if (rows == 4) {
      tile(args, values, sums, 4);
    } else {
      tile(args, values, sums, 2);
    }
  }
}
