// Body of the gemm kernels for single rows in 256-bit vectors: weights stream by once, and nothing else is worth loading. A file includes it after
//   VECTORS, STEP              vectors of 8 channels, a multiple of 4; depths of a step, of which a channel's weights lie side by side
//   operand(x, flip)           the next STEP depths of the row, everywhere
//   load_weights(p)            8 channels x STEP weights
//   multiply_add(acc, x, w)    adds the dot products in each 32-bit lane
//
// Tile: 1 row x VECTORS * 8 channels. k is a multiple of STEP. Registers: up to eight accumulators, which hide the latency of their additions; weights, the row
// and the flip.
#include "fetch_x86.h"

enum { CHANNELS = 8 * VECTORS, STORED_VECTORS = 4, STEP_BYTES = CHANNELS * STEP, LINE = 64 };

TVMQ_INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }

TVMQ_INLINE void gemm_row(const struct tvmq_gemm_args *args, bool flips, enum tvmq_path path) {
  const int32_t *const bias = args->panel;
  const int8_t *const weights = (const int8_t *)(bias + CHANNELS);
  const int32_t *const multiplier = (const int32_t *)(weights + args->n_taps * args->k * CHANNELS), *const shift = multiplier + CHANNELS;
  const struct tvmq_stage stage = *args->stage;
  const __m256i flip = _mm256_set1_epi8((int8_t)(flips ? args->in_flip : 0));

  const void *const *rows = args->rows;
  uint8_t *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++, out += args->out_stride) {
    __m256i acc[VECTORS];
    UNROLL for (int v = 0; v < VECTORS; v++) acc[v] = _mm256_add_epi32(load(bias + 8 * v), _mm256_set1_epi32(args->row_terms[tile]));
    const int8_t *w = weights;
    for (size_t t = 0; t < args->n_taps; t++, rows++) {
      const int8_t *x = *rows;
      for (size_t k = 0; k < args->k; k += STEP, w += STEP_BYTES) {
        const __m256i row = operand(x + k, flip);
        UNROLL for (int i = 0; i < STEP_BYTES; i += LINE) _mm_prefetch((const char *)w + TVMQ_FETCH_AHEAD + i, _MM_HINT_T0);
        UNROLL for (int v = 0; v < VECTORS; v++) acc[v] = multiply_add(acc[v], row, load_weights(w + 8 * STEP * v));
      }
    }
    UNROLL for (int v = 0; v < VECTORS; v += STORED_VECTORS) {
      __m256i value[STORED_VECTORS];
      UNROLL for (int i = 0; i < STORED_VECTORS; i++) {
        const __m256i m = load(multiplier + 8 * (v + i)), s = load(shift + 8 * (v + i));
        const struct tvmq_short_stage short_stage = tvmq_short_stage_make(&stage, path, m, s);
        value[i] =
            path != TVMQ_PATH_LONG ? tvmq_short_rescale(&short_stage, path, tvmq_short_bias(path, acc[v + i])) : tvmq_long_rescale(&stage, acc[v + i], m, s);
      }
      _mm256_storeu_si256((__m256i *)(out + 8 * v),
                          _mm256_permutevar8x32_epi32(tvmq_pack_lanes(&stage, path, value), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
    }
  }
}

// One body per way: whether rows are flipped and which path the output stage takes is decided once a call.
#define GEMM_ROW(SYMBOL)                                           \
  void SYMBOL(const struct tvmq_gemm_args *args) {                 \
    const enum tvmq_path path = tvmq_gemm_path(args, CHANNELS, 1); \
    if (args->in_flip != 0)                                        \
      TVMQ_FOR_PATH(path, gemm_row, args, true);                   \
    else                                                           \
      TVMQ_FOR_PATH(path, gemm_row, args, false);                  \
  }
