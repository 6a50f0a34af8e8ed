// Depthwise of 16x8 on AVX2, any filter and stride: 16 channels.
#include "kernels/stage_avx2.h"

typedef __m256i vector;

TVMQ_INLINE vector load(const void *p) { return _mm256_loadu_si256(p); }
TVMQ_INLINE void store(void *p, vector v) { _mm256_storeu_si256(p, v); }
TVMQ_INLINE vector zero(void) { return _mm256_setzero_si256(); }

TVMQ_INLINE void interleave(const vector row[2], vector pair[2]) {
  pair[0] = _mm256_unpacklo_epi16(row[0], row[1]);
  pair[1] = _mm256_unpackhi_epi16(row[0], row[1]);
}

TVMQ_INLINE vector multiply_add(vector acc, vector x, vector w) { return _mm256_add_epi32(acc, _mm256_madd_epi16(x, w)); }

#include "kernels/depthwise_s16_x86_tile.h"

void tvmq_depthwise_s16_1x16v2a64__avx2(const struct tvmq_depthwise_args *args) { tvmq_depthwise_tiles(args, 1, sizeof(vector), single_row); }
