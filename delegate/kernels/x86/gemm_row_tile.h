// Body of the gemm kernels for single rows in 256-bit vectors. Each weight is read once, so memory traffic dominates.
// The includer defines before
//   STEP                       depths per step; a channel's weights of a step are contiguous
//   operand(x, flip)           the next STEP depths of the row, broadcast
//   load_weights(p)            8 channels x STEP weights
//   multiply_add(acc, x, w)    adds the dot products in each 32-bit lane
//
// Tile: 1 row x vectors * 8 channels, with 2, 4 or 8 vectors. k is a multiple of steps * STEP. Registers: up to eight
// accumulators, which hide the latency of additions (few channels have a set for each of `steps` steps); weights, the
// row and the flip.
#include "kernels/x86/fetch_x86.h"
#include "kernels/x86/gemm_row_finish.h"

enum { MAX_VECTORS = 8, LINE = 64 };

// Computes a gemm of single rows. `vectors` and `steps` are compile-time constants.
TVMQ_INLINE void gemm_row(const struct tvmq_gemm_args *args, bool flips, int vectors, int steps, enum tvmq_path path) {
  const int n_acc = vectors * steps, round_bytes = n_acc * 8 * STEP;
  const size_t channels = 8 * (size_t)vectors, round_depth = (size_t)(steps * STEP);
  const int32_t *const bias = args->panel;
  const int8_t *const weights = (const int8_t *)(bias + channels);
  const int32_t *const multiplier = (const int32_t *)(weights + args->n_taps * args->k * channels), *const shift = multiplier + channels;
  const struct tvmq_stage stage = *args->stage;
  const __m256i flip = _mm256_set1_epi8((int8_t)(flips ? args->in_flip : 0));

  const void *const *rows = args->rows;
  uint8_t *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++, out += args->out_stride) {
    __m256i acc[MAX_VECTORS];
    UNROLL for (int v = 0; v < vectors; v++) acc[v] = _mm256_add_epi32(load(bias + 8 * v), _mm256_set1_epi32(args->row_terms[tile]));
    UNROLL for (int v = vectors; v < n_acc; v++) acc[v] = _mm256_setzero_si256();
    const int8_t *w = weights;
    for (size_t t = 0; t < args->n_taps; t++, rows++) {
      const int8_t *x = *rows;
      for (size_t k = 0; k < args->k; k += round_depth, w += round_bytes) {
        UNROLL for (int i = 0; i < round_bytes; i += LINE) _mm_prefetch((const char *)w + TVMQ_FETCH_AHEAD + i, _MM_HINT_T0);
        UNROLL for (int s = 0; s < steps; s++) {
          const __m256i row = operand(x + k + s * STEP, flip);
          UNROLL for (int v = s * vectors; v < (s + 1) * vectors; v++) acc[v] = multiply_add(acc[v], row, load_weights(w + 8 * STEP * v));
        }
      }
    }
    UNROLL for (int v = vectors; v < n_acc; v++) acc[v % vectors] = _mm256_add_epi32(acc[v % vectors], acc[v]);
    finish_row(&stage, path, acc, vectors, multiplier, shift, out);
  }
}

// One body per combination of flip and path of the output stage, both of which are decided once per call.
#define GEMM_ROW(SYMBOL, VECTORS, STEPS)                                  \
  void SYMBOL(const struct tvmq_gemm_args *args) {                        \
    const enum tvmq_path path = tvmq_gemm_path(args, 8 * VECTORS, 1);     \
    if (args->in_flip != 0)                                               \
      TVMQ_FOR_PATH_OR_SUMS(path, gemm_row, args, true, VECTORS, STEPS);  \
    else                                                                  \
      TVMQ_FOR_PATH_OR_SUMS(path, gemm_row, args, false, VECTORS, STEPS); \
  }
