// Depthwise of 16x8 without dot products, any filter and stride.
//
// Tile: one output row, 4 columns, twice 8 channels. Products are summed in int32 as long as nothing can overflow, then moved to int64; the output stage is
// scalar. Reads: 16 bytes of each pixel of the window; past the last column the last again. Hazards: an int16 times an int8 is at most 2^22, so 511 of them
// fit.
#include <arm_neon.h>

#include "inline.h"
#include "kernel.h"
#include "requant.h"

enum { NR = 16, CHANNELS = 8, COLUMNS = 4, MOST_PRODUCTS = 511 };

// Adds up to MOST_PRODUCTS taps of a filter row.
TVMQ_INLINE void add_taps(const void *const *const column[COLUMNS], size_t first, size_t n, size_t channel_offset, const int8_t *weights,
                          int32x4_t acc[2 * COLUMNS]) {
  for (size_t kx = first; kx < first + n; kx++) {
    const int16x8_t weight = vmovl_s8(vld1_s8(weights + kx * NR));
    int16x8_t value[COLUMNS];
    UNROLL for (int i = 0; i < COLUMNS; i++) value[i] = vld1q_s16((const int16_t *)((const char *)column[i][kx] + channel_offset));
    UNROLL for (int i = 0; i < COLUMNS; i++) {
      acc[2 * i] = vmlal_s16(acc[2 * i], vget_low_s16(value[i]), vget_low_s16(weight));
      acc[2 * i + 1] = vmlal_high_s16(acc[2 * i + 1], value[i], weight);
    }
  }
}

// Moves the sums over and begins anew.
TVMQ_INLINE void move(int32x4_t acc[2 * COLUMNS], int64_t sums[COLUMNS][CHANNELS]) {
  UNROLL for (int i = 0; i < 2 * COLUMNS; i++) {
    int64_t *to = &sums[i / 2][i % 2 * 4];
    vst1q_s64(to, vaddw_s32(vld1q_s64(to), vget_low_s32(acc[i])));
    vst1q_s64(to + 2, vaddw_high_s32(vld1q_s64(to + 2), acc[i]));
    acc[i] = vdupq_n_s32(0);
  }
}

static __attribute__((noinline)) void columns(const struct tvmq_depthwise_args *args, size_t x, size_t c) {
  const int64_t *bias = (const int64_t *)args->panel + c;
  const int8_t *weights = (const int8_t *)args->panel + NR * sizeof(int64_t) + c;
  const int32_t *multiplier = (const int32_t *)((const int8_t *)args->panel + NR * sizeof(int64_t) + args->filter_h * args->filter_w * NR) + c;
  const size_t n = args->n_cols - x < COLUMNS ? args->n_cols - x : COLUMNS, channel_offset = args->channel_offset + c * sizeof(int16_t);

  int64_t sums[COLUMNS][CHANNELS];
  int32x4_t acc[2 * COLUMNS];
  UNROLL for (int i = 0; i < 2 * COLUMNS; i++) acc[i] = vdupq_n_s32(0);
  for (size_t i = 0; i < COLUMNS; i++) {
    for (size_t j = 0; j < CHANNELS; j++) sums[i][j] = bias[j];
  }

  size_t pending = 0;
  for (size_t ky = 0; ky < args->filter_h; ky++, weights += args->filter_w * NR) {
    const void *const *first = args->pixels + ky * args->pixels_stride + x * args->stride_w;
    const void *const *column[COLUMNS];
    UNROLL for (size_t i = 0; i < COLUMNS; i++) column[i] = first + (i < n ? i : n - 1) * args->stride_w;
    for (size_t kx = 0; kx < args->filter_w;) {
      if (pending == MOST_PRODUCTS) {
        move(acc, sums);
        pending = 0;
      }
      const size_t room = MOST_PRODUCTS - pending, taps = args->filter_w - kx < room ? args->filter_w - kx : room;
      add_taps(column, kx, taps, channel_offset, weights, acc);
      kx += taps;
      pending += taps;
    }
  }
  move(acc, sums);

  for (size_t i = 0; i < n; i++) {
    int16_t *out = (int16_t *)((char *)args->out + (x + i) * args->out_col_stride) + c;
    for (size_t j = 0; j < CHANNELS; j++) out[j] = (int16_t)tvmq_stage_s64(args->stage, sums[i][j], multiplier[j], multiplier[NR + j]);
  }
}

static void single_row(const struct tvmq_depthwise_args *args) {
  for (size_t c = 0; c < NR; c += CHANNELS) {
    for (size_t x = 0; x < args->n_cols; x += COLUMNS) columns(args, x, c);
  }
}

void tvmq_depthwise_s16_1x16a64__neon(const struct tvmq_depthwise_args *args) { tvmq_depthwise_tiles(args, 1, NR * sizeof(int16_t), single_row); }
