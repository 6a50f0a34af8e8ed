// Shared by Arm's gemm kernels for single rows. Each weight is read once, so memory traffic dominates. Tile: 1 row x 16
// channels.
//
// Sums are assembly, because in-order cores need each load well before its use. The next weights are loaded ahead.
// After the last weights come the multipliers, so that nothing outside the panel is read.
#pragma once

#include "kernels/arm64/stage_neon.h"

// Adds the products of one tap, with bytes x ^ flip of k depths, to the sums of 16 channels. Returns the start of the
// next tap's weights.
typedef const int8_t *(*add_tap_fn)(int32x4_t acc[4], const uint8_t *x, size_t k, uint8x16_t flip, const int8_t *weights);

// Computes a gemm of single rows. `path` and `add_tap` are compile-time constants.
TVMQ_INLINE void gemm_row(enum tvmq_neon_path path, const struct tvmq_gemm_args *args, add_tap_fn add_tap) {
  const size_t k = args->k, n_taps = args->n_taps;
  const int32_t *const bias = args->panel;
  const uint8x16_t flip = vdupq_n_u8(args->in_flip);
  const struct tvmq_neon_stage stage = tvmq_neon_stage(path, args->stage);
  const void *const *row = args->rows;
  int8_t *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++, out += args->out_stride) {
    const int8_t *weights = (const int8_t *)(bias + 16);
    int32x4_t acc[4], multiplier[4], shift[4];
    UNROLL for (size_t v = 0; v < 4; v++) acc[v] = tvmq_neon_add_s32(vld1q_s32(bias + 4 * v), vdupq_n_s32(args->row_terms[tile]));
    for (size_t tap = 0; tap < n_taps; tap++) weights = add_tap(acc, *row++, k, flip, weights);
    if (path == TVMQ_NEON_SUMS) {
      tvmq_neon_store_sums(out, acc, 4);
      continue;
    }
    UNROLL for (size_t v = 0; v < 4; v++) {
      multiplier[v] = vld1q_s32((const int32_t *)weights + 4 * v);
      shift[v] = vld1q_s32((const int32_t *)weights + 16 + 4 * v);
    }
    vst1q_s8(out, tvmq_neon_requantize(path, &stage, acc, multiplier, shift));
  }
}

#define GEMM_ROW(symbol, add_tap)                                         \
  void symbol(const struct tvmq_gemm_args *args) {                        \
    const enum tvmq_neon_path path = tvmq_neon_general_path(args->stage); \
    TVMQ_NEON_FOR_GENERAL_PATH_OR_SUMS(path, gemm_row, args, add_tap);    \
  }
