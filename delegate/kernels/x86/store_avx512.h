// Stores of AVX-512 kernels: pass the values of a panel's rows through the output stage (stage_x86.h).
#pragma once

#include <stddef.h>

#include "kernels/x86/stage_x86.h"

// Packs like tvmq_pack_lanes(), but in the order of all sixteen bytes of value[0], then of value[1], and so on.
TVMQ_INLINE vec tvmq_pack_rows(const struct tvmq_stage *stage, enum tvmq_path path, const vec value[4]) {
  return vec_in_order(tvmq_pack_lanes(stage, path, value));
}

// Stores 4 x 16 values as 4 / nv rows of 16 * nv bytes; sums take four times as many bytes.
TVMQ_INLINE void tvmq_store_at(const struct tvmq_stage *stage, enum tvmq_path path, const vec value[4], int nv, uint8_t *const rows[4]) {
  if (path == TVMQ_PATH_SUMS) {
    UNROLL for (int i = 0; i < 4; i++) _mm512_storeu_si512(rows[i / nv] + (size_t)(i % nv) * 64, value[i]);
    return;
  }
  const vec bytes = tvmq_pack_rows(stage, path, value);
  if (nv == 4) {
    _mm512_storeu_si512(rows[0], bytes);
  } else if (nv == 2) {
    _mm256_storeu_si256((__m256i *)rows[0], _mm512_castsi512_si256(bytes));
    _mm256_storeu_si256((__m256i *)rows[1], _mm512_extracti64x4_epi64(bytes, 1));
  } else {
    _mm_storeu_si128((__m128i *)rows[0], _mm512_castsi512_si128(bytes));
    _mm_storeu_si128((__m128i *)rows[1], _mm512_extracti32x4_epi32(bytes, 1));
    _mm_storeu_si128((__m128i *)rows[2], _mm512_extracti32x4_epi32(bytes, 2));
    _mm_storeu_si128((__m128i *)rows[3], _mm512_extracti32x4_epi32(bytes, 3));
  }
}

// Returns a mask with a bit for each of the first n >= 1 channels of a panel.
TVMQ_INLINE __mmask64 tvmq_first_channels(size_t n) { return UINT64_MAX >> (64 - n); }

// Like tvmq_store_at(), but rows are out_stride bytes apart, and only channels whose bits are set are stored.
TVMQ_INLINE void tvmq_store_channels(const struct tvmq_stage *stage, enum tvmq_path path, const vec value[4], int nv, __mmask64 channels, uint8_t *out,
                                     size_t out_stride) {
  if (path == TVMQ_PATH_SUMS) {
    UNROLL for (int i = 0; i < 4; i++)
        _mm512_mask_storeu_epi32(out + (size_t)(i / nv) * out_stride + (size_t)(i % nv) * 64, (__mmask16)(channels >> (i % nv * 16)), value[i]);
    return;
  }
  const vec bytes = tvmq_pack_rows(stage, path, value);
  if (nv == 4) {
    _mm512_mask_storeu_epi8(out, channels, bytes);
  } else if (nv == 2) {
    _mm256_mask_storeu_epi8(out, (__mmask32)channels, _mm512_castsi512_si256(bytes));
    _mm256_mask_storeu_epi8(out + out_stride, (__mmask32)channels, _mm512_extracti64x4_epi64(bytes, 1));
  } else {
    _mm_mask_storeu_epi8(out, (__mmask16)channels, _mm512_castsi512_si128(bytes));
    _mm_mask_storeu_epi8(out + out_stride, (__mmask16)channels, _mm512_extracti32x4_epi32(bytes, 1));
    _mm_mask_storeu_epi8(out + 2 * out_stride, (__mmask16)channels, _mm512_extracti32x4_epi32(bytes, 2));
    _mm_mask_storeu_epi8(out + 3 * out_stride, (__mmask16)channels, _mm512_extracti32x4_epi32(bytes, 3));
  }
}
