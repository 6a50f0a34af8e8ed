// Map of int16 in AVX-512 vectors.
#include <immintrin.h>
#include <stdint.h>

#include "base/inline.h"

TVMQ_INLINE __m512i gather(const int32_t *entries, __m512i index) { return _mm512_i32gather_epi32(index, entries, sizeof *entries); }
TVMQ_INLINE __m512i blend_odd_words(__m512i even, __m512i odd) { return _mm512_mask_blend_epi16(0xaaaaaaaa, even, odd); }

#include "kernels/x86/word_map_x86.h"

void tvmq_word_map__avx512vnni(const struct tvmq_word_map_args *args) { word_map(args); }
