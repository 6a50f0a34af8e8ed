// Body of the gemm kernels for single rows by dot products: rows of unsigned bytes (a_offset 128). vpdpbusd does not
// saturate. The includer defines before
//   ENCODING  the instruction's prefix in assembly
#include <string.h>

#define VECTOR_BITS 256
#include "kernels/x86/stage_x86.h"

enum { STEP = 4 };

TVMQ_INLINE __m256i operand(const void *x, __m256i flip) {
  int32_t four;
  memcpy(&four, x, sizeof four);
  return _mm256_xor_si256(_mm256_set1_epi32(four), flip);
}

TVMQ_INLINE __m256i load_weights(const void *p) { return _mm256_loadu_si256(p); }

TVMQ_INLINE __m256i multiply_add(__m256i acc, __m256i x, __m256i w) {
  __asm__(ENCODING "vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(x), "x"(w));
  return acc;
}

#include "kernels/x86/gemm_row_tile.h"
