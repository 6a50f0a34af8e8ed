// Finishes the sums of a row of the gemm kernels for single rows in 256-bit vectors.
#pragma once

#include "kernels/kernel.h"
#include "kernels/x86/stage_x86.h"

enum { STORED_VECTORS = 4 };

TVMQ_INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }

// Applies the output stage to vectors * 8 channels, and stores them. `vectors` is a compile-time constant.
TVMQ_INLINE void finish_row(const struct tvmq_stage *stage, enum tvmq_path path, const __m256i *acc, int vectors, const int32_t *multiplier,
                            const int32_t *shift, uint8_t *out) {
  UNROLL for (int v = 0; v < vectors; v += STORED_VECTORS) {
    __m256i value[STORED_VECTORS];
    UNROLL for (int i = 0; i < STORED_VECTORS; i++) {
      if (v + i >= vectors) {
        value[i] = value[i - vectors];
        continue;
      }
      const __m256i m = load(multiplier + 8 * (v + i)), s = load(shift + 8 * (v + i));
      const struct tvmq_short_stage short_stage = tvmq_short_stage_make(stage, path, m, s);
      value[i] =
          path != TVMQ_PATH_LONG ? tvmq_short_rescale(&short_stage, path, tvmq_short_bias(path, acc[v + i])) : tvmq_long_rescale(stage, acc[v + i], m, s);
    }
    if (path == TVMQ_PATH_SUMS) {
      const int n = vectors - v < STORED_VECTORS ? vectors - v : STORED_VECTORS;
      UNROLL for (int i = 0; i < n; i++) _mm256_storeu_si256((__m256i *)(out + 32 * (v + i)), value[i]);
      continue;
    }
    const __m256i bytes = _mm256_permutevar8x32_epi32(tvmq_pack_lanes(stage, path, value), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    if (vectors < STORED_VECTORS)
      _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(bytes));
    else
      _mm256_storeu_si256((__m256i *)(out + 8 * v), bytes);
  }
}
