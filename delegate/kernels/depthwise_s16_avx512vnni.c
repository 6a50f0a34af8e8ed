// Depthwise of 16x8 on AVX-512 VNNI, any filter and stride: 32 channels.
#include "kernels/stage_avx512.h"

typedef __m512i vector;

TVMQ_INLINE vector load(const void *p) { return _mm512_loadu_si512(p); }
TVMQ_INLINE void store(void *p, vector v) { _mm512_storeu_si512(p, v); }
TVMQ_INLINE vector zero(void) { return _mm512_setzero_si512(); }

TVMQ_INLINE void interleave(const vector row[2], vector pair[2]) {
  pair[0] = _mm512_unpacklo_epi16(row[0], row[1]);
  pair[1] = _mm512_unpackhi_epi16(row[0], row[1]);
}

TVMQ_INLINE vector multiply_add(vector acc, vector x, vector w) { return _mm512_dpwssd_epi32(acc, x, w); }

#include "kernels/depthwise_s16_x86_tile.h"

void tvmq_depthwise_s16_1x32v2a64__avx512vnni(const struct tvmq_depthwise_args *args) { tvmq_depthwise_tiles(args, 1, sizeof(vector), single_row); }
