// GEMM of single rows on AVX2, on rows of unsigned bytes (a_offset 128). Weights stay bytes, since widening them would take as long as multiplying.
//
// pmaddubsw adds two products of unsigned and signed bytes in int16, and saturates. So each byte of the row is split into its lower and its upper four bits,
// whose products with any weights are within 15 * 128. An int16 holds the sums of 8 steps of two products each: 8 * 2 * 15 * 128 < 2^15. They then become
// int32, those of the upper bits times 16.
//
// Tile: 1 row x vectors * 8 channels. k is a multiple of 4. Registers: three sums for each vector, both halves of the row, weights.
#include <string.h>

#include "base/arith.h"
#include "kernels/x86/fetch_x86.h"
#include "kernels/x86/gemm_row_finish.h"

enum { STEP = 4, STEPS = 8, MAX_VECTORS = 4, LINE = 64, HALF_BITS = 4 };

struct halves {
  __m256i low, high;
};

// Returns the next STEP depths of the row for each channel.
TVMQ_INLINE struct halves operand(const uint8_t *x, __m256i flip) {
  const __m256i mask = _mm256_set1_epi8((1 << HALF_BITS) - 1);
  int32_t four;
  memcpy(&four, x, sizeof four);
  const __m256i row = _mm256_xor_si256(_mm256_set1_epi32(four), flip);
  return (struct halves){_mm256_and_si256(row, mask), _mm256_and_si256(_mm256_srli_epi16(row, HALF_BITS), mask)};
}

// Adds the products of `depth` depths, up to STEPS * STEP.
TVMQ_INLINE void add_steps(__m256i *acc, const uint8_t *x, const int8_t *w, size_t depth, __m256i flip, int vectors) {
  __m256i low[MAX_VECTORS], high[MAX_VECTORS];
  UNROLL for (int v = 0; v < vectors; v++) low[v] = high[v] = _mm256_setzero_si256();
  for (size_t k = 0; k < depth; k += STEP, w += 8 * STEP * vectors) {
    UNROLL for (int i = 0; i < 8 * STEP * vectors; i += LINE) _mm_prefetch((const char *)w + TVMQ_FETCH_AHEAD + i, _MM_HINT_T0);
    const struct halves row = operand(x + k, flip);
    UNROLL for (int v = 0; v < vectors; v++) {
      const __m256i weights = load(w + 8 * STEP * v);
      low[v] = _mm256_add_epi16(low[v], _mm256_maddubs_epi16(row.low, weights));
      high[v] = _mm256_add_epi16(high[v], _mm256_maddubs_epi16(row.high, weights));
    }
  }
  UNROLL for (int v = 0; v < vectors; v++) {
    const __m256i lows = _mm256_madd_epi16(low[v], _mm256_set1_epi16(1)), highs = _mm256_madd_epi16(high[v], _mm256_set1_epi16(1 << HALF_BITS));
    acc[v] = _mm256_add_epi32(acc[v], _mm256_add_epi32(lows, highs));
  }
}

// Computes a gemm of single rows. `vectors` is a compile-time constant.
TVMQ_INLINE void gemm_row(const struct tvmq_gemm_args *args, int vectors, enum tvmq_path path) {
  const size_t channels = 8 * (size_t)vectors;
  const int32_t *const bias = args->panel;
  const int8_t *const weights = (const int8_t *)(bias + channels);
  const int32_t *const multiplier = (const int32_t *)(weights + args->n_taps * args->k * channels), *const shift = multiplier + channels;
  const struct tvmq_stage stage = *args->stage;
  const __m256i flip = _mm256_set1_epi8((int8_t)args->in_flip);

  const void *const *rows = args->rows;
  uint8_t *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++, out += args->out_stride) {
    __m256i acc[MAX_VECTORS];
    UNROLL for (int v = 0; v < vectors; v++) acc[v] = _mm256_add_epi32(load(bias + 8 * v), _mm256_set1_epi32(args->row_terms[tile]));
    const int8_t *w = weights;
    for (size_t t = 0; t < args->n_taps; t++, rows++) {
      for (size_t k = 0, depth; k < args->k; k += depth, w += depth * channels) {
        depth = tvmq_min(args->k - k, STEPS * STEP);
        add_steps(acc, (const uint8_t *)*rows + k, w, depth, flip, vectors);
      }
    }
    finish_row(&stage, path, acc, vectors, multiplier, shift, out);
  }
}

#define GEMM_ROW(SYMBOL, VECTORS)                                     \
  void SYMBOL(const struct tvmq_gemm_args *args) {                    \
    const enum tvmq_path path = tvmq_gemm_path(args, 8 * VECTORS, 1); \
    TVMQ_FOR_PATH_OR_SUMS(path, gemm_row, args, VECTORS);             \
  }

GEMM_ROW(tvmq_gemm_s8_1x16c4__avx2, 2)
GEMM_ROW(tvmq_gemm_s8_1x32c4__avx2, 4)
