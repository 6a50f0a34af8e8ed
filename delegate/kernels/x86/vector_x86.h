// Vectors of the x86 instruction set that a file is compiled for, AVX-512 or AVX2. The includer may define VECTOR_BITS
// for narrower ones.
//
// MM(name): the intrinsic of that name for these vectors. Intrinsics whose names or masks differ between the
// instruction sets have one name here.
#pragma once

#include <immintrin.h>
#include <stdint.h>

#include "base/inline.h"

#ifndef VECTOR_BITS
#ifdef __AVX512F__
#define VECTOR_BITS 512
#else
#define VECTOR_BITS 256
#endif
#endif

#if VECTOR_BITS == 512
#define MM(name) _mm512_##name
typedef __m512i vec;
typedef __m512 vec_f32;
typedef __m512d vec_f64;

TVMQ_INLINE vec vec_load(const void *p) { return _mm512_loadu_si512(p); }
TVMQ_INLINE void vec_store(void *p, vec x) { _mm512_storeu_si512(p, x); }
TVMQ_INLINE vec vec_and(vec a, vec b) { return _mm512_and_si512(a, b); }
TVMQ_INLINE vec vec_xor(vec a, vec b) { return _mm512_xor_si512(a, b); }
TVMQ_INLINE vec vec_all_s64(int64_t x) { return _mm512_set1_epi64(x); }
TVMQ_INLINE vec vec_all_128(__m128i x) { return _mm512_broadcast_i32x4(x); }
TVMQ_INLINE vec vec_or(vec a, vec b) { return _mm512_or_si512(a, b); }
TVMQ_INLINE vec_f32 vec_as_f32(vec x) { return _mm512_castsi512_ps(x); }
TVMQ_INLINE vec_f64 vec_as_f64(vec x) { return _mm512_castsi512_pd(x); }
TVMQ_INLINE vec vec_of_f64(vec_f64 x) { return _mm512_castpd_si512(x); }
TVMQ_INLINE vec_f64 vec_truncate_f64(vec_f64 x) { return _mm512_roundscale_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }

// Returns the even 32-bit lanes of `even` and the odd ones of `odd`.
TVMQ_INLINE vec vec_blend_odd(vec even, vec odd) { return _mm512_mask_blend_epi32(0xaaaa, even, odd); }

// Returns x - y in int16 lanes where a > b, else x.
TVMQ_INLINE vec vec_subtract_where_greater(vec x, vec y, vec a, vec b) { return _mm512_mask_sub_epi16(x, _mm512_cmpgt_epi16_mask(a, b), x, y); }

// Puts groups of four bytes, which packing has ordered within 128-bit lanes, in the order of their vectors.
TVMQ_INLINE vec vec_in_order(vec bytes) { return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), bytes); }

// The same for groups of eight bytes.
TVMQ_INLINE vec vec_in_order_s16(vec words) { return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), words); }

#elif VECTOR_BITS == 256
#define MM(name) _mm256_##name
typedef __m256i vec;
typedef __m256 vec_f32;
typedef __m256d vec_f64;

TVMQ_INLINE vec vec_load(const void *p) { return _mm256_loadu_si256(p); }
TVMQ_INLINE void vec_store(void *p, vec x) { _mm256_storeu_si256(p, x); }
TVMQ_INLINE vec vec_and(vec a, vec b) { return _mm256_and_si256(a, b); }
TVMQ_INLINE vec vec_xor(vec a, vec b) { return _mm256_xor_si256(a, b); }
TVMQ_INLINE vec vec_all_s64(int64_t x) { return _mm256_set1_epi64x(x); }
TVMQ_INLINE vec vec_all_128(__m128i x) { return _mm256_broadcastsi128_si256(x); }
TVMQ_INLINE vec vec_or(vec a, vec b) { return _mm256_or_si256(a, b); }
TVMQ_INLINE vec_f32 vec_as_f32(vec x) { return _mm256_castsi256_ps(x); }
TVMQ_INLINE vec_f64 vec_as_f64(vec x) { return _mm256_castsi256_pd(x); }
TVMQ_INLINE vec vec_of_f64(vec_f64 x) { return _mm256_castpd_si256(x); }
TVMQ_INLINE vec_f64 vec_truncate_f64(vec_f64 x) { return _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
TVMQ_INLINE vec vec_blend_odd(vec even, vec odd) { return _mm256_blend_epi32(even, odd, 0xaa); }
TVMQ_INLINE vec vec_subtract_where_greater(vec x, vec y, vec a, vec b) { return _mm256_sub_epi16(x, _mm256_and_si256(_mm256_cmpgt_epi16(a, b), y)); }
TVMQ_INLINE vec vec_in_order(vec bytes) { return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)); }
TVMQ_INLINE vec vec_in_order_s16(vec words) { return _mm256_permute4x64_epi64(words, 0xd8); }

#else
#define MM(name) _mm_##name
typedef __m128i vec;
#endif
