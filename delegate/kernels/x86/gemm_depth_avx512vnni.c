// GEMM of single rows and few channels on AVX-512 VNNI, whose vectors have four channels: rows of unsigned bytes (a_offset 128). vpdpbusd does not saturate.
#include <immintrin.h>

#include "base/inline.h"

#define VECTOR_BITS 256  // vectors of the output stage, which has four results

enum { ACCUMULATORS = 4, STEP = 16, ROUND = 4 };
typedef __m512i vec_sums;

TVMQ_INLINE void add_step(__m512i *acc, int step, const int8_t *x, const int8_t *w, __m128i flip) {
  const __m512i row = _mm512_broadcast_i32x4(_mm_xor_si128(_mm_loadu_si128((const __m128i *)x), flip)), weights = _mm512_loadu_si512(w);
  __asm__("vpdpbusd %2, %1, %0" : "+v"(acc[step]) : "v"(row), "v"(weights));
}

TVMQ_INLINE void fold_round(const __m512i *acc, __m256i *low, __m256i *high) {
  const __m512i sums = _mm512_add_epi32(_mm512_add_epi32(acc[0], acc[1]), _mm512_add_epi32(acc[2], acc[3]));
  *low = _mm512_castsi512_si256(sums);
  *high = _mm512_extracti64x4_epi64(sums, 1);
}

#include "kernels/x86/gemm_depth_x86_tile.h"

GEMM_DEPTH(tvmq_gemm_s8_1x4c16__avx512vnni)
