// 3x3 depthwise convolution by table look-ups and dot products of four (sdot), as in MNN. tbl groups eight of the nine
// taps in fours per channel; the last tap is multiplied alone. The vertical kernels (depthwise_3x3_dotprod.c)
// interleave a pixel once for all windows, this kernel once per window. But it supports any stride, and computes 16
// channels at a time. It is faster for strides of 3 and more on out-of-order cores, where windows share no pixels. It
// is also faster on wide maps of a single channel, of which it computes 16 pixels at a time.
//
// Tile: one output row, one column, 16 channels: 4 accumulators, requantized together. Reads: 16 bytes of each pixel of the window, again for each output.
// Registers: 9 vectors of weights, 4 of tables' indices, 4 accumulators, 4 pixels and what is looked up in them. Hazards: none;
// weights that exceed int8 less their zero point are left to depthwise_neon.c, whose layout is the same.
#include "base/inline.h"
#include "kernels/arm64/stage_neon.h"
#include "kernels/kernel.h"

enum { NR = 16, VECTORS = 4, FILTER = 3, TAPS = 9, QUADS = 2 };

// Byte 4i + t of vector v is channel 4v + i of tap t.
static const uint8_t indices[VECTORS][NR] = {
    {0, 16, 32, 48, 1, 17, 33, 49, 2, 18, 34, 50, 3, 19, 35, 51},
    {4, 20, 36, 52, 5, 21, 37, 53, 6, 22, 38, 54, 7, 23, 39, 55},
    {8, 24, 40, 56, 9, 25, 41, 57, 10, 26, 42, 58, 11, 27, 43, 59},
    {12, 28, 44, 60, 13, 29, 45, 61, 14, 30, 46, 62, 15, 31, 47, 63},
};

// Nine taps of 16 channels: two groups of four taps per channel, and the last tap.
struct taps {
  int8x16_t quads[QUADS][VECTORS], last;
};

TVMQ_INLINE int8x16_t load(const void *p, bool flips) { return flips ? veorq_s8(vld1q_s8(p), vdupq_n_s8(INT8_MIN)) : vld1q_s8(p); }

TVMQ_INLINE struct taps bring_together(const void *const tap[TAPS], size_t offset, bool flips, const uint8x16_t index[VECTORS]) {
  struct taps taps;
  UNROLL for (int q = 0; q < QUADS; q++) {
    int8x16x4_t table;
    UNROLL for (int t = 0; t < 4; t++) table.val[t] = load((const int8_t *)tap[4 * q + t] + offset, flips);
    UNROLL for (int v = 0; v < VECTORS; v++) taps.quads[q][v] = vqtbl4q_s8(table, index[v]);
  }
  taps.last = load((const int8_t *)tap[TAPS - 1] + offset, flips);
  return taps;
}

TVMQ_INLINE void add_products(const struct taps *x, const struct taps *w, int32x4_t acc[VECTORS]) {
  UNROLL for (int q = 0; q < QUADS; q++) { UNROLL for (int v = 0; v < VECTORS; v++) acc[v] = vdotq_s32(acc[v], x->quads[q][v], w->quads[q][v]); }
  const int16x8_t low = vmull_s8(vget_low_s8(x->last), vget_low_s8(w->last)), high = vmull_high_s8(x->last, w->last);
  acc[0] = vaddw_s16(acc[0], vget_low_s16(low));
  acc[1] = vaddw_high_s16(acc[1], low);
  acc[2] = vaddw_s16(acc[2], vget_low_s16(high));
  acc[3] = vaddw_high_s16(acc[3], high);
}

TVMQ_INLINE void store(enum tvmq_neon_path path, const struct tvmq_depthwise_args *args, const int32x4_t acc[VECTORS], int8_t *out) {
  const struct tvmq_neon_stage stage = tvmq_neon_stage(path, args->stage);
  const int32_t *params = (const int32_t *)((const int8_t *)args->panel + NR * sizeof(int32_t) + TAPS * NR);
  int32x4_t multiplier[VECTORS], shift[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) multiplier[v] = vld1q_s32(params + 4 * v), shift[v] = vld1q_s32(params + NR + 4 * v);
  vst1q_s8(out, tvmq_neon_requantize(path, &stage, acc, multiplier, shift));
}

TVMQ_INLINE void row_of_block(const struct tvmq_depthwise_args *args, enum tvmq_neon_path path, bool flips) {
  const int32_t *bias = args->panel;
  const int8_t *weights = (const int8_t *)(bias + NR);
  uint8x16_t index[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) index[v] = vld1q_u8(indices[v]);
  const void *tap[TAPS];
  UNROLL for (int t = 0; t < TAPS; t++) tap[t] = weights + t * NR;
  const struct taps w = bring_together(tap, 0, false, index);
  int8_t *out = args->out;
  for (size_t x = 0; x < args->n_cols; x++, out += args->out_col_stride) {
    const void *const *window = args->pixels + x * args->stride_w;
    UNROLL for (size_t t = 0; t < TAPS; t++) tap[t] = window[t / FILTER * args->pixels_stride + t % FILTER];
    const struct taps pixels = bring_together(tap, args->channel_offset, flips, index);
    int32x4_t acc[VECTORS];
    UNROLL for (int v = 0; v < VECTORS; v++) acc[v] = vld1q_s32(bias + 4 * v);
    add_products(&pixels, &w, acc);
    TVMQ_NEON_FOR_GENERAL_PATH(path, store, args, acc, out);
  }
}

void tvmq_depthwise_s8_3x3_1x16t__dotprod(const struct tvmq_depthwise_args *args) {
  if (args->filter_zero_point != 0) {
    tvmq_depthwise_s8_1x16__neon(args);
    return;
  }
  struct tvmq_depthwise_args row = *args;
  const enum tvmq_neon_path path = tvmq_neon_general_path(args->stage);
  for (size_t block = 0; block < args->n_blocks; block++) {
    for (size_t y = 0; y < args->n_rows; y++) {
      row.pixels = args->pixels + y * args->stride_h * args->pixels_stride;
      row.out = (int8_t *)args->out + block * NR + y * args->out_row_stride;
      if (args->in_flip)
        row_of_block(&row, path, true);
      else
        row_of_block(&row, path, false);
    }
    row.channel_offset += NR;
    row.panel = (const char *)row.panel + row.panel_bytes;
  }
}
