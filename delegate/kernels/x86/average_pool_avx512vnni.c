// Average pooling in AVX-512 vectors.
#include "kernels/x86/stage_x86.h"

#define LANES 32
#define BLOCK 2
#define WIDEN_S8(in, i, n) ((shorts)_mm512_cvtepi8_epi16((__m256i)load_bytes((in) + LANES * (i))))
#define WIDEN_U8(in, i, n) ((shorts)_mm512_cvtepu8_epi16((__m256i)load_bytes((in) + LANES * (i))))
#define ROUNDED_HIGH(x, y) ((shorts)_mm512_mulhrs_epi16((__m512i)(x), (__m512i)(y)))
#define MIN(x, y) ((shorts)_mm512_min_epi16((__m512i)(x), (__m512i)(y)))
#define MAX(x, y) ((shorts)_mm512_max_epi16((__m512i)(x), (__m512i)(y)))
#define LOW(x) ((ints)_mm512_cvtepi16_epi32(_mm512_castsi512_si256((__m512i)(x))))
#define HIGH(x) ((ints)_mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64((__m512i)(x), 1)))
#define JOIN(low, high) ((shorts)_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtsepi32_epi16((__m512i)(low))), _mm512_cvtsepi32_epi16((__m512i)(high)), 1))
#define RESCALE(r, n, sums) rescale(r, n, (__m512i *)(sums))

TVMQ_INLINE void rescale(const struct tvmq_rescaled_sum *r, size_t n, __m512i *sums) {
  const struct tvmq_stage stage = {.rounding = r->rounding, .zero_point = r->zero_point};
  UNROLL for (size_t i = 0; i < n; i++) sums[i] = tvmq_long_rescale(&stage, sums[i], _mm512_set1_epi32(r->multiplier), _mm512_set1_epi32(r->shift));
}

#include "kernels/average_pool_template.h"

void tvmq_average_pool_s8__avx512vnni(const struct tvmq_pool_args *args) { pool_s8(args); }
void tvmq_average_pool_u8__avx512vnni(const struct tvmq_pool_args *args) { pool_u8(args); }
void tvmq_average_pool_s16__avx512vnni(const struct tvmq_pool_args *args) { pool_s16(args); }
