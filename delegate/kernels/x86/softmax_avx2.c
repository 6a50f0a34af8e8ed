// SOFTMAX of bytes in AVX2 vectors.
#include "kernels/x86/softmax_x86.h"

#define ISA avx2
enum { LANES = 8 };

#include "kernels/softmax_lookup.h"
#include "kernels/softmax_template.h"

TVMQ_INLINE lanes high_product(lanes a, lanes b) {
  const __m256i x = (__m256i)a, y = (__m256i)b, half = _mm256_set1_epi64x(1 << 30);
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, y), half);
  const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(y, 32)), half);
  return (lanes)_mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
}

TVMQ_INLINE int32_t total(lanes x) {
  const __m128i four = _mm_add_epi32(_mm256_castsi256_si128((__m256i)x), _mm256_extracti128_si256((__m256i)x, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

// Computes both roundings at once, because the floor of a floor is a single floor.
TVMQ_INLINE __m256i values(const int32_t *exps, __m256i r, __m256i half, __m128i shift) {
  const __m256i x = _mm256_load_si256((const __m256i *)exps);
  const __m256i even = _mm256_srl_epi64(_mm256_add_epi64(_mm256_mul_epu32(x, r), half), shift);
  const __m256i odd = _mm256_srl_epi64(_mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), r), half), shift);
  return _mm256_or_si256(even, _mm256_slli_epi64(odd, 32));
}

TVMQ_INLINE void outputs(const int32_t *exps, int32_t r, int32_t shift, uint8_t flip, uint8_t *out) {
  const __m256i rs = _mm256_set1_epi64x(r), half = _mm256_set1_epi64x((1 << 30) + (INT64_C(1) << (30 + shift)));
  const __m128i by = _mm_cvtsi32_si128(31 + shift);
  const __m256i lanes_apart = _mm256_packs_epi32(values(exps, rs, half, by), values(exps + LANES, rs, half, by));
  const __m256i words = _mm256_permute4x64_epi64(lanes_apart, 0xd8);
  const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  _mm_storeu_si128((__m128i *)out, _mm_xor_si128(bytes, _mm_set1_epi8((char)flip)));
}
