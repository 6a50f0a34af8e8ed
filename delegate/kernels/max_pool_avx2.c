// Max pooling in AVX2 vectors.
#include <immintrin.h>

#include "kernels/kernel.h"

#define VECTOR 32
#define BLOCK 2
typedef __m256i vec;

TVMQ_INLINE vec splat(int32_t x, enum tvmq_type type) { return type == TVMQ_TYPE_S16 ? _mm256_set1_epi16((int16_t)x) : _mm256_set1_epi8((int8_t)x); }

TVMQ_INLINE vec larger(vec x, vec y, enum tvmq_type type) {
  return type == TVMQ_TYPE_S16 ? _mm256_max_epi16(x, y) : type == TVMQ_TYPE_U8 ? _mm256_max_epu8(x, y) : _mm256_max_epi8(x, y);
}

TVMQ_INLINE vec smaller(vec x, vec y, enum tvmq_type type) {
  return type == TVMQ_TYPE_S16 ? _mm256_min_epi16(x, y) : type == TVMQ_TYPE_U8 ? _mm256_min_epu8(x, y) : _mm256_min_epi8(x, y);
}

#include "kernels/max_pool_template.h"

void tvmq_max_pool_s8__avx2(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_S8); }
void tvmq_max_pool_u8__avx2(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_U8); }
void tvmq_max_pool_s16__avx2(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_S16); }
