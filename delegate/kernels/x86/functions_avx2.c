// The C library's float32 functions and GELU in AVX2 vectors.
#include <immintrin.h>

#define TVMQ_EXPS
#define TVMQ_FDLIBM
#define ISA avx2
enum { LANES = 8, WIDTH = 4 };

#include "kernels/functions_template.h"

TVMQ_INLINE bool any(masks mask) { return _mm256_movemask_ps((__m256)mask) != 0; }
TVMQ_INLINE doubles widen(floats x, int half) {
  return (doubles)_mm256_cvtps_pd(half == 0 ? _mm256_castps256_ps128((__m256)x) : _mm256_extractf128_ps((__m256)x, 1));
}
TVMQ_INLINE floats narrow(doubles low, doubles high) { return (floats)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)high), _mm256_cvtpd_ps((__m256d)low)); }
TVMQ_INLINE masks low_words(integers low, integers high) {
  const __m256 even = _mm256_shuffle_ps((__m256)low, (__m256)high, _MM_SHUFFLE(2, 0, 2, 0));
  return (masks)_mm256_permute4x64_epi64((__m256i)even, _MM_SHUFFLE(3, 1, 2, 0));
}
TVMQ_INLINE uint32_t open_lanes(const words x[VECTORS], uint32_t bits, const floats magnitudes[VECTORS]) {
  uint32_t open = 0;
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const masks near = (masks)((x[v] & bits) == 0), outside = ~(masks)(magnitudes[v] <= MOST);
    open |= (uint32_t)_mm256_movemask_ps((__m256)(near | outside)) << v * LANES;
  }
  return open;
}
TVMQ_INLINE doubles fused(doubles a, doubles b, doubles c) { return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
