// Max pooling in vectors of 128 bits, for pixels of fewer bytes than AVX2's.
#include <immintrin.h>

#include "kernels/kernel.h"

#define VECTOR 16
#define BLOCK 4
typedef __m128i vec;

TVMQ_INLINE vec splat(int32_t x, enum tvmq_type type) { return type == TVMQ_TYPE_S16 ? _mm_set1_epi16((int16_t)x) : _mm_set1_epi8((int8_t)x); }

TVMQ_INLINE vec larger(vec x, vec y, enum tvmq_type type) {
  return type == TVMQ_TYPE_S16 ? _mm_max_epi16(x, y) : type == TVMQ_TYPE_U8 ? _mm_max_epu8(x, y) : _mm_max_epi8(x, y);
}

TVMQ_INLINE vec smaller(vec x, vec y, enum tvmq_type type) {
  return type == TVMQ_TYPE_S16 ? _mm_min_epi16(x, y) : type == TVMQ_TYPE_U8 ? _mm_min_epu8(x, y) : _mm_min_epi8(x, y);
}

#include "kernels/max_pool_template.h"

void tvmq_max_pool_s8_16c__avx2(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_S8); }
void tvmq_max_pool_u8_16c__avx2(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_U8); }
void tvmq_max_pool_s16_8c__avx2(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_S16); }
