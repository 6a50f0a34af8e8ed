// Depthwise without dot products, any filter, stride, zero points and output stage. Pixels, and weights minus their
// zero point, are widened to int16, multiplied, and summed in int32. 3x3 and 5x5 have loops of their own
// (depthwise_loops_neon.h).
//
// Tile: one output row, 4 columns, twice 8 channels: 8 accumulators, requantized together, because in-order cores need
// that much independent work. Reads: 8 bytes of each pixel of the window; after the last column, that column again.
// Hazards: none, |w - zw| < 2^8.
#include "kernels/arm64/depthwise_neon.h"

#include "base/inline.h"
#include "kernels/arm64/stage_neon.h"

enum { NR = 16, CHANNELS = 8, COLUMNS = 4 };

// The work of 8 channels.
struct half {
  const struct tvmq_depthwise_args *args;
  const int32_t *bias, *multiplier, *shift;
  const int8_t *weights;
  size_t channel_offset;
  int8x8_t flip, zero_point;
  int8_t *out;
};

TVMQ_INLINE int16x8_t load_weight(const struct half *h, const int8_t *weight) { return vsubl_s8(vld1_s8(weight), h->zero_point); }

TVMQ_INLINE int16x8_t load_pixel(const struct half *h, const void *pixel) {
  return vmovl_s8(veor_s8(vld1_s8((const int8_t *)pixel + h->channel_offset), h->flip));
}

#include "kernels/arm64/depthwise_rows_neon_template.h"

// Requantizes 8 accumulators, two columns at a time, and stores `n` columns.
TVMQ_INLINE void store(enum tvmq_neon_path path, const struct half *h, const int32x4_t *acc, size_t n, int8_t *out) {
  const struct tvmq_neon_stage stage = tvmq_neon_stage(path, h->args->stage);
  const size_t stride = h->args->out_col_stride;
  if (path == TVMQ_NEON_SUMS) {
    UNROLL for (size_t i = 0; i < COLUMNS; i++) {
      if (i < n) tvmq_neon_store_sums(out + i * stride, acc + 2 * i, 2);
    }
    return;
  }
  const int32x4_t m0 = vld1q_s32(h->multiplier), m1 = vld1q_s32(h->multiplier + 4), s0 = vld1q_s32(h->shift), s1 = vld1q_s32(h->shift + 4);
  const int32x4_t multiplier[4] = {m0, m1, m0, m1}, shift[4] = {s0, s1, s0, s1};
  const int8x16_t left = tvmq_neon_requantize(path, &stage, acc, multiplier, shift);
  const int8x16_t right = tvmq_neon_requantize(path, &stage, acc + 4, multiplier, shift);
  // Tests for all columns first: with one test per column, compilers delay the work for a column until its test.
  if (n >= COLUMNS) {
    tvmq_neon_store_half(out, left, 0);
    tvmq_neon_store_half(out + stride, left, 1);
    tvmq_neon_store_half(out + 2 * stride, right, 0);
    tvmq_neon_store_half(out + 3 * stride, right, 1);
  } else {
    tvmq_neon_store_half(out, left, 0);
    if (n > 1) tvmq_neon_store_half(out + stride, left, 1);
    if (n > 2) tvmq_neon_store_half(out + 2 * stride, right, 0);
  }
}

// Computes 8 channels; n_kx and stride are the filter's constant values, or 0: any.
TVMQ_INLINE void depthwise(const struct half *h, int n_kx, int stride) {
  const struct tvmq_depthwise_args *args = h->args;
  const size_t row_weights = args->filter_w * NR;
  const enum tvmq_neon_path path = tvmq_neon_general_path(args->stage);
  const int32x4_t bias0 = vld1q_s32(h->bias), bias1 = vld1q_s32(h->bias + 4);
  int8_t *out = h->out;

  for (size_t x = 0; x < args->n_cols; x += COLUMNS, out += COLUMNS * args->out_col_stride) {
    const size_t left = args->n_cols - x;
    const void *const *row = args->pixels + x * args->stride_w;
    const int8_t *weights = h->weights;
    int32x4_t acc[2 * COLUMNS] = {bias0, bias1, bias0, bias1, bias0, bias1, bias0, bias1};
    for (size_t ky = 0; ky < args->filter_h; ky++, row += args->pixels_stride, weights += row_weights) {
      if (n_kx > 0 && left >= COLUMNS)
        add_row(h, row, n_kx, stride, weights, acc);
      else
        add_taps(h, row, left, 0, args->filter_w, weights, acc);
    }
    TVMQ_NEON_FOR_GENERAL_PATH_OR_SUMS(path, store, h, acc, left, out);
  }
}

static void any(const struct half *h) { depthwise(h, 0, 0); }
static void wide3s1(const struct half *h) { depthwise(h, 3, 1); }
static void wide3s2(const struct half *h) { depthwise(h, 3, 2); }
static void wide5s1(const struct half *h) { depthwise(h, 5, 1); }
static void wide5s2(const struct half *h) { depthwise(h, 5, 2); }

static void single_row(const struct tvmq_depthwise_args *args) {
  const bool s1 = args->stride_w == 1, s2 = args->stride_w == 2;
  void (*const run)(const struct half *) = s1 && args->filter_w == 3   ? wide3s1
                                           : s1 && args->filter_w == 5 ? wide5s1
                                           : s2 && args->filter_w == 3 ? wide3s2
                                           : s2 && args->filter_w == 5 ? wide5s2
                                                                       : any;
  const int32_t *bias = args->panel;
  const int8_t *weights = (const int8_t *)(bias + NR);
  const int32_t *multiplier = (const int32_t *)(weights + args->filter_h * args->filter_w * NR);
  for (size_t c = 0; c < NR; c += CHANNELS) {
    const struct half h = {
        .args = args,
        .bias = bias + c,
        .multiplier = multiplier + c,
        .shift = multiplier + NR + c,
        .weights = weights + c,
        .channel_offset = args->channel_offset + c,
        .flip = vdup_n_s8((int8_t)args->in_flip),
        .zero_point = vdup_n_s8((int8_t)args->filter_zero_point),
        .out = (int8_t *)args->out + c * tvmq_stored_bytes(args->stage),
    };
    run(&h);
  }
}

void tvmq_depthwise_s8_1x16__neon(const struct tvmq_depthwise_args *args) { tvmq_depthwise_tiles(args, 1, NR, single_row); }

void tvmq_depthwise_s8_3x3_1x16s1p__neon(const struct tvmq_depthwise_args *args) {
  if (!tvmq_depthwise_3x3_neon(args)) tvmq_depthwise_s8_1x16p__neon(args);
}

void tvmq_depthwise_s8_3x3_1x16s2p__neon(const struct tvmq_depthwise_args *args) {
  if (!tvmq_depthwise_3x3_neon(args)) tvmq_depthwise_s8_1x16p__neon(args);
}

void tvmq_depthwise_s8_5x5_1x16s1p__neon(const struct tvmq_depthwise_args *args) {
  if (!tvmq_depthwise_5x5_neon(args)) tvmq_depthwise_s8_1x16p__neon(args);
}

void tvmq_depthwise_s8_5x5_1x16s2p__neon(const struct tvmq_depthwise_args *args) {
  if (!tvmq_depthwise_5x5_neon(args)) tvmq_depthwise_s8_1x16p__neon(args);
}

void tvmq_depthwise_s8_kx1_4x16s1p__neon(const struct tvmq_depthwise_args *args) {
  if (!tvmq_depthwise_column_neon(args)) tvmq_depthwise_s8_1x16p__neon(args);
}
