// Elements of tensors in AVX-512 vectors of int32, four vectors at a time, in order.
//
// Hazards: instructions that pack keep to their 128-bit lanes, so that what they store is put in order first.
#pragma once

#include <immintrin.h>
#include <stdint.h>

#include "kernels/inline.h"

enum { LANES = 16 };
typedef __m512i vec;

TVMQ_INLINE void load_s8(const void *p, vec x[]) { UNROLL for (int i = 0; i < 4; i++) x[i] = _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p + i)); }

TVMQ_INLINE void load_u8(const void *p, vec x[]) { UNROLL for (int i = 0; i < 4; i++) x[i] = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p + i)); }

TVMQ_INLINE void load_s16(const void *p, vec x[]) {
  UNROLL for (int i = 0; i < 4; i++) x[i] = _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p + i));
}

TVMQ_INLINE void load_s32(const void *p, vec x[]) { UNROLL for (int i = 0; i < 4; i++) x[i] = _mm512_loadu_si512((const vec *)p + i); }

TVMQ_INLINE vec in_order(vec bytes) { return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), bytes); }

TVMQ_INLINE void store_s8(void *p, const vec x[]) {
  _mm512_storeu_si512(p, in_order(_mm512_packs_epi16(_mm512_packs_epi32(x[0], x[1]), _mm512_packs_epi32(x[2], x[3]))));
}

TVMQ_INLINE void store_u8(void *p, const vec x[]) {
  _mm512_storeu_si512(p, in_order(_mm512_packus_epi16(_mm512_packs_epi32(x[0], x[1]), _mm512_packs_epi32(x[2], x[3]))));
}

TVMQ_INLINE void store_s16(void *p, const vec x[]) {
  UNROLL for (int i = 0; i < 2; i++)
      _mm512_storeu_si512((vec *)p + i, _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), _mm512_packs_epi32(x[2 * i], x[2 * i + 1])));
}

TVMQ_INLINE void store_s32(void *p, const vec x[]) { UNROLL for (int i = 0; i < 4; i++) _mm512_storeu_si512((vec *)p + i, x[i]); }
