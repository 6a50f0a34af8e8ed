// Row sums with vpdpbusd by ones, 16 rows at a time; the lanes of all rows are added together.
//
// Reads: 64 bytes at a time; at the end of a tap, the remaining bytes only.
#include <immintrin.h>

#include "base/inline.h"
#include "kernels/kernel.h"

enum { ROWS = 16, QUAD = 4, BYTES = 64 };

// Sums four rows, given by their cells in the table. Each quarter of the result has a partial sum of each row.
TVMQ_INLINE __m512i sum_quad(const struct tvmq_row_sums_args *args, const void *const *const cells[QUAD]) {
  const __m512i ones = _mm512_set1_epi8(1), flip = _mm512_set1_epi8((char)args->mask);
  const size_t whole = args->k / BYTES * BYTES;
  const __mmask64 rest = (1ull << (args->k - whole)) - 1;
  __m512i sums[QUAD];
  UNROLL for (int i = 0; i < QUAD; i++) sums[i] = _mm512_setzero_si512();
  for (size_t t = 0; t < args->n_taps; t++) {
    for (size_t k = 0; k < whole; k += BYTES) {
      UNROLL for (int i = 0; i < QUAD; i++) {
        const __m512i bytes = _mm512_loadu_si512((const uint8_t *)cells[i][t * args->mr] + k);
        sums[i] = _mm512_dpbusd_epi32(sums[i], _mm512_xor_si512(bytes, flip), ones);
      }
    }
    if (rest == 0) continue;
    UNROLL for (int i = 0; i < QUAD; i++) {
      const __m512i bytes = _mm512_maskz_loadu_epi8(rest, (const uint8_t *)cells[i][t * args->mr] + whole);
      sums[i] = _mm512_dpbusd_epi32(sums[i], _mm512_xor_si512(bytes, flip), _mm512_maskz_mov_epi8(rest, ones));
    }
  }
  const __m512i first = _mm512_add_epi32(_mm512_unpacklo_epi32(sums[0], sums[1]), _mm512_unpackhi_epi32(sums[0], sums[1]));
  const __m512i second = _mm512_add_epi32(_mm512_unpacklo_epi32(sums[2], sums[3]), _mm512_unpackhi_epi32(sums[2], sums[3]));
  return _mm512_add_epi32(_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second));
}

// Adds the two halves of `a`, then of `b`.
TVMQ_INLINE __m512i add_halves(__m512i a, __m512i b) { return _mm512_add_epi32(_mm512_shuffle_i32x4(a, b, 0x44), _mm512_shuffle_i32x4(a, b, 0xEE)); }
TVMQ_INLINE __m512i add_neighbours(__m512i a, __m512i b) { return _mm512_add_epi32(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xDD)); }

void tvmq_row_sums__avx512vnni(const struct tvmq_row_sums_args *args) {
  const size_t next_tile = (args->n_taps - 1) * args->mr;
  const void *const *cell = args->rows;
  size_t place = 0;  // row within the table's tile
  for (size_t m = 0; m < args->n; m += ROWS) {
    const size_t n = args->n - m < ROWS ? args->n - m : ROWS;
    __m512i quads[ROWS / QUAD];
    UNROLL for (size_t q = 0; q < ROWS / QUAD; q++) {
      const void *const *cells[QUAD];
      UNROLL for (size_t i = 0; i < QUAD; i++) {
        cells[i] = cell;
        if (m + q * QUAD + i + 1 >= args->n) continue;  // there is no next row; repeats this row
        cell++;
        if (++place < args->mr) continue;
        cell += next_tile;
        place = 0;
      }
      quads[q] = sum_quad(args, cells);
    }
    const __m512i sums = add_neighbours(add_halves(quads[0], quads[1]), add_halves(quads[2], quads[3]));
    const __m512i terms = _mm512_mullo_epi32(_mm512_sub_epi32(sums, _mm512_set1_epi32(args->offset)), _mm512_set1_epi32(args->factor));
    _mm512_mask_storeu_epi32(args->terms + m, (__mmask16)((1u << n) - 1), terms);
  }
}
