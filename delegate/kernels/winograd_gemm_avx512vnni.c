// Gemm at one Winograd point on AVX-512 VNNI.
//
// Tile: 4, 8 or 12 rows x 32 channels. Reads: each row four bytes at a time, broadcast; one group of 32 x 2 weights, two vectors; weights 8 KB ahead
// are fetched into the second level of cache, past the end of the point into the next one's. k is a multiple of 2.
// Registers: zmm0-23 accumulators, two of weights, one or two of rows.
// Hazards: vpdpwssd wraps. As an intrinsic gcc 12 spills the accumulators of large tiles; as an instruction it does not.
#include <immintrin.h>
#include <string.h>

#include "kernels/inline.h"
#include "kernels/kernel.h"

enum { MAX_ROWS = 12, ROW_STEP = 4, CHANNELS = 32, VECTORS = 2, FETCH_AHEAD = 8192 };

TVMQ_INLINE void dot(__m512i *acc, __m512i row, __m512i weights) { __asm__("vpdpwssd %2, %1, %0" : "+v"(*acc) : "v"(row), "v"(weights)); }

TVMQ_INLINE void tile(const struct tvmq_winograd_gemm_args *args, const int16_t *values, int32_t *sums, int rows) {
  __m512i acc[MAX_ROWS][VECTORS];
  UNROLL for (int m = 0; m < rows; m++) { UNROLL for (int v = 0; v < VECTORS; v++) acc[m][v] = _mm512_setzero_si512(); }
  const int16_t *weights = args->weights;
  for (size_t k = 0; k < args->k; k += 2, weights += 2 * CHANNELS) {
    const __m512i w0 = _mm512_loadu_si512(weights), w1 = _mm512_loadu_si512(weights + CHANNELS);
    _mm_prefetch((const char *)weights + FETCH_AHEAD, _MM_HINT_T1);
    _mm_prefetch((const char *)weights + FETCH_AHEAD + 64, _MM_HINT_T1);
    UNROLL for (int m = 0; m < rows; m++) {
      int32_t pair;
      memcpy(&pair, values + (size_t)m * args->values_stride + k, sizeof pair);
      const __m512i row = _mm512_set1_epi32(pair);
      dot(&acc[m][0], row, w0);
      dot(&acc[m][1], row, w1);
    }
  }
  UNROLL for (int m = 0; m < rows; m++) { UNROLL for (int v = 0; v < VECTORS; v++) _mm512_storeu_si512(sums + m * CHANNELS + 16 * v, acc[m][v]); }
}

void tvmq_winograd_gemm_s16_12x32c2__avx512vnni(const struct tvmq_winograd_gemm_args *args) {
  size_t rows;
  for (size_t row = 0; row < args->n_rows; row += rows) {
    const int16_t *values = args->values + row * args->values_stride;
    int32_t *sums = args->sums + row * CHANNELS;
    rows = tvmq_winograd_rows(args->n_rows - row, MAX_ROWS, ROW_STEP);
    if (rows == 12) {
      tile(args, values, sums, 12);
    } else if (rows == 8) {
      tile(args, values, sums, 8);
    } else {
      tile(args, values, sums, 4);
    }
  }
}
