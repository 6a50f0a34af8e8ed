// Loads and stores elements of tensors as int32 (vector_x86.h), four vectors at a time, in order.
//
// Hazards: pack instructions work within 128-bit lanes, so packed elements are put in order before stores.
#pragma once

#include "kernels/x86/vector_x86.h"

enum { LANES = VECTOR_BITS / 32 };

#if VECTOR_BITS == 512
#define LOAD_QUARTER(p, i) _mm_loadu_si128((const __m128i *)(p) + (i))
#define LOAD_HALF(p, i) _mm256_loadu_si256((const __m256i *)(p) + (i))
#else
#define LOAD_QUARTER(p, i) _mm_loadl_epi64((const __m128i *)((const int64_t *)(p) + (i)))
#define LOAD_HALF(p, i) _mm_loadu_si128((const __m128i *)(p) + (i))
#endif

TVMQ_INLINE void load_s8(const void *p, vec x[]) { UNROLL for (int i = 0; i < 4; i++) x[i] = MM(cvtepi8_epi32)(LOAD_QUARTER(p, i)); }
TVMQ_INLINE void load_u8(const void *p, vec x[]) { UNROLL for (int i = 0; i < 4; i++) x[i] = MM(cvtepu8_epi32)(LOAD_QUARTER(p, i)); }
TVMQ_INLINE void load_s16(const void *p, vec x[]) { UNROLL for (int i = 0; i < 4; i++) x[i] = MM(cvtepi16_epi32)(LOAD_HALF(p, i)); }
TVMQ_INLINE void load_s32(const void *p, vec x[]) { UNROLL for (int i = 0; i < 4; i++) x[i] = vec_load((const vec *)p + i); }

TVMQ_INLINE void store_s8(void *p, const vec x[]) { vec_store(p, vec_in_order(MM(packs_epi16)(MM(packs_epi32)(x[0], x[1]), MM(packs_epi32)(x[2], x[3])))); }

TVMQ_INLINE void store_u8(void *p, const vec x[]) { vec_store(p, vec_in_order(MM(packus_epi16)(MM(packs_epi32)(x[0], x[1]), MM(packs_epi32)(x[2], x[3])))); }

TVMQ_INLINE void store_s16(void *p, const vec x[]) {
  UNROLL for (int i = 0; i < 2; i++) vec_store((vec *)p + i, vec_in_order_s16(MM(packs_epi32)(x[2 * i], x[2 * i + 1])));
}

TVMQ_INLINE void store_s32(void *p, const vec x[]) { UNROLL for (int i = 0; i < 4; i++) vec_store((vec *)p + i, x[i]); }
