// Arm's gemm kernels for single rows and few channels. All products of a vector belong to one channel, along the depth;
// the lanes are added at the end.
//
// Tile: 1 row x 4 channels. Reads: 16 bytes of the row, then 16 of each channel's weights. k is a multiple of 16.
#pragma once

#include "kernels/arm64/stage_neon.h"

enum { DEPTH_CHANNELS = 4, DEPTH_STEP = 16 };

// Adds the products of 16 depths to four partial sums of a channel.
typedef int32x4_t (*add_products_fn)(int32x4_t acc, int8x16_t x, int8x16_t w);

// Computes a gemm of single rows. `path` and `add_products` are compile-time constants.
TVMQ_INLINE void gemm_depth(enum tvmq_neon_path path, const struct tvmq_gemm_args *args, add_products_fn add_products) {
  const int32_t *const bias = args->panel;
  const uint8x16_t flip = vdupq_n_u8(args->in_flip);
  const struct tvmq_neon_stage stage = tvmq_neon_stage(path, args->stage);
  const void *const *row = args->rows;
  int8_t *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++, out += args->out_stride) {
    const int8_t *weights = (const int8_t *)(bias + DEPTH_CHANNELS);
    int32x4_t acc[2 * DEPTH_CHANNELS];
    UNROLL for (size_t i = 0; i < 2 * DEPTH_CHANNELS; i++) acc[i] = vdupq_n_s32(0);
    for (size_t tap = 0; tap < args->n_taps; tap++, row++) {
      const uint8_t *x = *row, *const end = x + args->k;
      // Two steps have separate sums, because additions to one set would wait for each other.
      for (; end - x >= 2 * DEPTH_STEP; x += 2 * DEPTH_STEP) {
        UNROLL for (size_t s = 0; s < 2; s++) {
          const int8x16_t values = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(x + s * DEPTH_STEP), flip));
          UNROLL for (size_t c = 0; c < DEPTH_CHANNELS; c++, weights += DEPTH_STEP) acc[s * DEPTH_CHANNELS + c] =
              add_products(acc[s * DEPTH_CHANNELS + c], values, vld1q_s8(weights));
        }
      }
      if (x < end) {
        const int8x16_t values = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(x), flip));
        UNROLL for (size_t c = 0; c < DEPTH_CHANNELS; c++, weights += DEPTH_STEP) acc[c] = add_products(acc[c], values, vld1q_s8(weights));
      }
    }
    UNROLL for (size_t c = 0; c < DEPTH_CHANNELS; c++) acc[c] = tvmq_neon_add_s32(acc[c], acc[DEPTH_CHANNELS + c]);
    const int32x4_t start = tvmq_neon_add_s32(vld1q_s32(bias), vdupq_n_s32(args->row_terms[tile]));
    const int32x4_t sums = tvmq_neon_add_s32(start, vpaddq_s32(vpaddq_s32(acc[0], acc[1]), vpaddq_s32(acc[2], acc[3])));
    if (path == TVMQ_NEON_SUMS) {
      vst1q_s32((int32_t *)out, sums);
      continue;
    }
    // Four results need one vector of each kind; the same vector stands for all four of the stage.
    const int32x4_t multiplier = vld1q_s32((const int32_t *)weights), shift = vld1q_s32((const int32_t *)weights + DEPTH_CHANNELS);
    const int8x16_t bytes = tvmq_neon_requantize(path, &stage, (int32x4_t[]){sums, sums, sums, sums},
                                                 (int32x4_t[]){multiplier, multiplier, multiplier, multiplier}, (int32x4_t[]){shift, shift, shift, shift});
    const int32_t four = vgetq_lane_s32(vreinterpretq_s32_s8(bytes), 0);
    memcpy(out, &four, sizeof four);
  }
}

#define GEMM_DEPTH(symbol, add_products)                                      \
  void symbol(const struct tvmq_gemm_args *args) {                            \
    const enum tvmq_neon_path path = tvmq_neon_general_path(args->stage);     \
    TVMQ_NEON_FOR_GENERAL_PATH_OR_SUMS(path, gemm_depth, args, add_products); \
  }
