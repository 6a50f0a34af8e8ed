// Average pooling in AVX2 vectors.
#include "kernels/x86/stage_x86.h"

#define LANES 16
#define BLOCK 2
#define WIDEN_S8(in, i, n) ((shorts)_mm256_cvtepi8_epi16((__m128i)load_bytes((in) + LANES * (i))))
#define WIDEN_U8(in, i, n) ((shorts)_mm256_cvtepu8_epi16((__m128i)load_bytes((in) + LANES * (i))))
#define ROUNDED_HIGH(x, y) ((shorts)_mm256_mulhrs_epi16((__m256i)(x), (__m256i)(y)))
#define MIN(x, y) ((shorts)_mm256_min_epi16((__m256i)(x), (__m256i)(y)))
#define MAX(x, y) ((shorts)_mm256_max_epi16((__m256i)(x), (__m256i)(y)))
#define LOW(x) ((ints)_mm256_cvtepi16_epi32(_mm256_castsi256_si128((__m256i)(x))))
#define HIGH(x) ((ints)_mm256_cvtepi16_epi32(_mm256_extracti128_si256((__m256i)(x), 1)))
#define JOIN(low, high) ((shorts)_mm256_permute4x64_epi64(_mm256_packs_epi32((__m256i)(low), (__m256i)(high)), 0xd8))
#define RESCALE(r, n, sums) rescale(r, n, (__m256i *)(sums))

TVMQ_INLINE void rescale(const struct tvmq_rescaled_sum *r, size_t n, __m256i *sums) {
  const struct tvmq_stage stage = {.rounding = r->rounding, .zero_point = r->zero_point};
  UNROLL for (size_t i = 0; i < n; i++) sums[i] = tvmq_long_rescale(&stage, sums[i], _mm256_set1_epi32(r->multiplier), _mm256_set1_epi32(r->shift));
}

#include "kernels/average_pool_template.h"

void tvmq_average_pool_s8__avx2(const struct tvmq_pool_args *args) { pool_s8(args); }
void tvmq_average_pool_u8__avx2(const struct tvmq_pool_args *args) { pool_u8(args); }
void tvmq_average_pool_s16__avx2(const struct tvmq_pool_args *args) { pool_s16(args); }
