// The C library's float32 functions and GELU in AVX-512 vectors.
#include <immintrin.h>

#define TVMQ_EXPS
#define TVMQ_FDLIBM
#define ISA avx512vnni
enum { LANES = 16, WIDTH = 8 };

#include "kernels/functions_template.h"

TVMQ_INLINE bool any(masks mask) { return _mm512_movepi32_mask((__m512i)mask) != 0; }
TVMQ_INLINE doubles widen(floats x, int half) {
  const __m512d all_lanes = (__m512d)x;
  return (doubles)_mm512_cvtps_pd((__m256)(half == 0 ? _mm512_castpd512_pd256(all_lanes) : _mm512_extractf64x4_pd(all_lanes, 1)));
}
TVMQ_INLINE floats narrow(doubles low, doubles high) {
  const __m256d halves[] = {(__m256d)_mm512_cvtpd_ps((__m512d)low), (__m256d)_mm512_cvtpd_ps((__m512d)high)};
  return (floats)_mm512_insertf64x4(_mm512_castpd256_pd512(halves[0]), halves[1], 1);
}
TVMQ_INLINE masks low_words(integers low, integers high) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return (masks)_mm512_permutex2var_epi32((__m512i)low, even, (__m512i)high);
}
TVMQ_INLINE uint32_t open_lanes(const words x[VECTORS], uint32_t bits, const floats magnitudes[VECTORS]) {
  __mmask16 open[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    open[v] = _kor_mask16(_mm512_testn_epi32_mask((__m512i)x[v], _mm512_set1_epi32((int)bits)),
                          _mm512_cmp_ps_mask((__m512)magnitudes[v], _mm512_set1_ps(MOST), _CMP_NLE_UQ));
  }
  return _cvtmask32_u32(_mm512_kunpackw(open[1], open[0]));
}
TVMQ_INLINE doubles fused(doubles a, doubles b, doubles c) { return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
