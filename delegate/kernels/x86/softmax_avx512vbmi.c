// SOFTMAX of bytes in AVX-512 vectors, 64 exps looked up together.
//
// The four bytes of an exp are in four tables of 256 bytes; vpermi2b looks up each half of a table. The places are
// permuted first, so that interleaving the bytes within 128-bit lanes gives 16 adjacent exps.
#define ISA avx512vbmi

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/inline.h"
#include "kernels/kernel.h"
#include "kernels/softmax_row.h"

enum { PLANES = sizeof(int32_t), PARTS = 4, VECTOR = 64, GROUP = VECTOR / STEP };

struct lookup {
  __m512i plane[PLANES][PARTS];
  uint8_t flip;
};

TVMQ_INLINE struct lookup make_lookup(const struct tvmq_softmax_args *args, bool is_unsigned) {
  uint8_t bytes[PLANES][PARTS * VECTOR];
  for (size_t i = 0; i < PARTS * VECTOR; i += STEP) {
    const __m512i exps = _mm512_loadu_si512(args->exps + i);
    UNROLL for (int p = 0; p < PLANES; p++) _mm_storeu_si128((__m128i *)(bytes[p] + i), _mm512_cvtepi32_epi8(_mm512_srli_epi32(exps, (unsigned)(8 * p))));
  }
  struct lookup lookup = {.flip = is_unsigned ? 0x80 : 0};
  UNROLL for (int p = 0; p < PLANES; p++) UNROLL for (int i = 0; i < PARTS; i++) lookup.plane[p][i] = _mm512_loadu_si512(bytes[p] + VECTOR * i);
  return lookup;
}

// Looks up the exps of 64 places of the table.
TVMQ_INLINE void look_up_vector(const struct lookup *lookup, __m512i places, __m512i exps[GROUP]) {
  const __m512i order = _mm512_setr_epi32(0x03020100, 0x13121110, 0x23222120, 0x33323130, 0x07060504, 0x17161514, 0x27262524, 0x37363534, 0x0b0a0908,
                                          0x1b1a1918, 0x2b2a2928, 0x3b3a3938, 0x0f0e0d0c, 0x1f1e1d1c, 0x2f2e2d2c, 0x3f3e3d3c);
  const __m512i x = _mm512_permutexvar_epi8(order, places);
  const __mmask64 high = _mm512_movepi8_mask(x);
  __m512i byte[PLANES];
  UNROLL for (int p = 0; p < PLANES; p++) {
    const __m512i *const part = lookup->plane[p];
    byte[p] = _mm512_mask_mov_epi8(_mm512_permutex2var_epi8(part[0], x, part[1]), high, _mm512_permutex2var_epi8(part[2], x, part[3]));
  }
  const __m512i low[2] = {_mm512_unpacklo_epi8(byte[0], byte[1]), _mm512_unpackhi_epi8(byte[0], byte[1])};
  const __m512i top[2] = {_mm512_unpacklo_epi8(byte[2], byte[3]), _mm512_unpackhi_epi8(byte[2], byte[3])};
  UNROLL for (int i = 0; i < 2; i++) {
    exps[2 * i] = _mm512_unpacklo_epi16(low[i], top[i]);
    exps[2 * i + 1] = _mm512_unpackhi_epi16(low[i], top[i]);
  }
}

// Returns the byte to subtract from a row's elements to get their places in the table.
TVMQ_INLINE char origin(const struct lookup *lookup, const struct row *row) { return (char)((row->greatest + 1) ^ lookup->flip); }

static void look_up_long(const struct lookup *lookup, const struct row *row, size_t first, size_t n, int32_t *exps) {
  const __m512i from = _mm512_set1_epi8(origin(lookup, row));
  for (size_t i = 0; i < n; i += VECTOR) {
    const size_t some = tvmq_min(n - i, VECTOR);
    const __mmask64 mask = ~UINT64_C(0) >> (VECTOR - some);
    __m512i found[GROUP];
    look_up_vector(lookup, _mm512_sub_epi8(_mm512_maskz_loadu_epi8(mask, row->in + first + i), from), found);
    for (size_t k = 0; k * STEP < some; k++) {
      _mm512_storeu_si512(exps + i + k * STEP, _mm512_maskz_mov_epi32((__mmask16)(mask >> (k * STEP)), found[k]));
    }
  }
}

// Looks up GROUP rows together; rows have at most STEP elements here.
TVMQ_INLINE void look_up_short(const struct lookup *lookup, const struct row *rows, size_t n_rows, size_t first, size_t n, int32_t *exps) {
  const __mmask16 mask = (__mmask16)(UINT16_MAX >> (STEP - n));
  for (size_t i = 0; i < n_rows; i += GROUP) {
    const size_t some = tvmq_min(n_rows - i, GROUP);
    __m128i places[GROUP];
    UNROLL for (size_t k = 0; k < GROUP; k++) {
      const struct row *const row = &rows[i + (k < some ? k : 0)];
      places[k] = _mm_sub_epi8(_mm_maskz_loadu_epi8(mask, row->in + first), _mm_set1_epi8(origin(lookup, row)));
    }
    const __m256i half[2] = {_mm256_set_m128i(places[1], places[0]), _mm256_set_m128i(places[3], places[2])};
    __m512i found[GROUP];
    look_up_vector(lookup, _mm512_inserti64x4(_mm512_castsi256_si512(half[0]), half[1], 1), found);
    UNROLL for (size_t k = 0; k < GROUP; k++) {
      if (k < some) _mm512_storeu_si512(exps + (i + k) * STEP, _mm512_maskz_mov_epi32(mask, found[k]));
    }
  }
}

TVMQ_INLINE size_t look_up(const struct lookup *lookup, const struct row *rows, size_t n_rows, size_t first, size_t n, int32_t *exps) {
  const size_t padded = tvmq_round_up(n, STEP);
  if (n <= STEP) {
    look_up_short(lookup, rows, n_rows, first, n, exps);
  } else {
    for (size_t i = 0; i < n_rows; i++) look_up_long(lookup, &rows[i], first, n, exps + i * padded);
  }
  return padded;
}

#include "kernels/x86/softmax_rows_avx512.h"
