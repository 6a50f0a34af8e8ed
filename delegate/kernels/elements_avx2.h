// Elements of tensors in AVX2 vectors of int32, four vectors at a time, in order.
//
// Hazards: instructions that pack keep to their 128-bit lanes, so that what they store is put in order first.
#pragma once

#include <immintrin.h>
#include <stdint.h>

#include "kernels/inline.h"

enum { LANES = 8 };
typedef __m256i vec;

TVMQ_INLINE void load_s8(const void *p, vec x[]) {
  UNROLL for (int i = 0; i < 4; i++) x[i] = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)((const int8_t *)p + 8 * i)));
}

TVMQ_INLINE void load_u8(const void *p, vec x[]) {
  UNROLL for (int i = 0; i < 4; i++) x[i] = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)((const uint8_t *)p + 8 * i)));
}

TVMQ_INLINE void load_s16(const void *p, vec x[]) {
  UNROLL for (int i = 0; i < 4; i++) x[i] = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)((const int16_t *)p + 8 * i)));
}

TVMQ_INLINE void load_s32(const void *p, vec x[]) { UNROLL for (int i = 0; i < 4; i++) x[i] = _mm256_loadu_si256((const vec *)p + i); }

TVMQ_INLINE vec in_order(vec bytes) { return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)); }

TVMQ_INLINE void store_s8(void *p, const vec x[]) {
  _mm256_storeu_si256(p, in_order(_mm256_packs_epi16(_mm256_packs_epi32(x[0], x[1]), _mm256_packs_epi32(x[2], x[3]))));
}

TVMQ_INLINE void store_u8(void *p, const vec x[]) {
  _mm256_storeu_si256(p, in_order(_mm256_packus_epi16(_mm256_packs_epi32(x[0], x[1]), _mm256_packs_epi32(x[2], x[3]))));
}

TVMQ_INLINE void store_s16(void *p, const vec x[]) {
  UNROLL for (int i = 0; i < 2; i++) _mm256_storeu_si256((vec *)p + i, _mm256_permute4x64_epi64(_mm256_packs_epi32(x[2 * i], x[2 * i + 1]), 0xd8));
}

TVMQ_INLINE void store_s32(void *p, const vec x[]) { UNROLL for (int i = 0; i < 4; i++) _mm256_storeu_si256((vec *)p + i, x[i]); }
