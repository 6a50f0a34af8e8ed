// Map of int16 in AVX2 vectors.
#include <immintrin.h>
#include <stdint.h>

#include "base/inline.h"

TVMQ_INLINE __m256i gather(const int32_t *entries, __m256i index) { return _mm256_i32gather_epi32(entries, index, sizeof *entries); }
TVMQ_INLINE __m256i blend_odd_words(__m256i even, __m256i odd) { return _mm256_blend_epi16(even, odd, 0xaa); }

#include "kernels/x86/word_map_x86.h"

void tvmq_word_map__avx2(const struct tvmq_word_map_args *args) { word_map(args); }
