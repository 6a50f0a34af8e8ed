// Gemm at one Winograd point on AVX-512 VNNI.
//
// Tile: 4, 8 or 12 rows x 32 channels; or 8, 16 or 24 rows x 16, for layers that would leave half of a panel of 32
// channels empty. Reads: each row four bytes at a time, broadcast; one group of nr x 2 weights, one or two vectors.
// Prefetches weights 8 KB ahead to the second level of cache, at the end of a point those of the next point. k is a
// multiple of 2.
// Registers: zmm0-23 accumulators, two of weights, one or two of rows.
// Hazards: vpdpwssd wraps. As an intrinsic gcc 12 spills the accumulators of large tiles; as an instruction it does not.
#include <immintrin.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

enum { MAX_VECTORS = 2, ACCUMULATORS = 24, FETCH_AHEAD = 8192 };

TVMQ_INLINE void dot(__m512i *acc, __m512i row, __m512i weights) { __asm__("vpdpwssd %2, %1, %0" : "+v"(*acc) : "v"(row), "v"(weights)); }

TVMQ_INLINE void tile(const struct tvmq_winograd_gemm_args *args, const int16_t *values, int32_t *sums, int rows, int vectors) {
  __m512i acc[ACCUMULATORS];
  UNROLL for (int m = 0; m < rows; m++) UNROLL for (int v = 0; v < vectors; v++) acc[m * vectors + v] = _mm512_setzero_si512();
  const int16_t *weights = args->weights;
  for (size_t k = 0; k < args->k; k += 2, weights += 32 * vectors) {
    __m512i w[MAX_VECTORS];
    UNROLL for (int v = 0; v < vectors; v++) {
      w[v] = _mm512_loadu_si512(weights + 32 * v);
      _mm_prefetch((const char *)weights + FETCH_AHEAD + 64 * v, _MM_HINT_T1);
    }
    UNROLL for (int m = 0; m < rows; m++) {
      int32_t pair;
      memcpy(&pair, values + (size_t)m * args->values_stride + k, sizeof pair);
      const __m512i row = _mm512_set1_epi32(pair);
      UNROLL for (int v = 0; v < vectors; v++) dot(&acc[m * vectors + v], row, w[v]);
    }
  }
  UNROLL for (int m = 0; m < rows; m++) UNROLL for (int v = 0; v < vectors; v++) _mm512_storeu_si512(sums + 16 * (m * vectors + v), acc[m * vectors + v]);
}

// Computes a third, two thirds or all of the rows that fit the registers at a time.
TVMQ_INLINE void gemm(const struct tvmq_winograd_gemm_args *args, int vectors) {
  const int most = ACCUMULATORS / vectors, step = most / 3;
  size_t rows;
  for (size_t row = 0; row < args->n_rows; row += rows) {
    const int16_t *values = args->values + row * args->values_stride;
    int32_t *sums = args->sums + row * 16 * (size_t)vectors;
    rows = tvmq_winograd_rows(args->n_rows - row, (size_t)most, (size_t)step);
    if (rows == (size_t)most) {
      tile(args, values, sums, most, vectors);
    } else if (rows == (size_t)(2 * step)) {
      tile(args, values, sums, 2 * step, vectors);
    } else {
      tile(args, values, sums, step, vectors);
    }
  }
}

void tvmq_winograd_gemm_s16_12x32c2__avx512vnni(const struct tvmq_winograd_gemm_args *args) { gemm(args, 2); }
void tvmq_winograd_gemm_s16_24x16c2__avx512vnni(const struct tvmq_winograd_gemm_args *args) { gemm(args, 1); }
