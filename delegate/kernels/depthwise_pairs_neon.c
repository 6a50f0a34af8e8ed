// Depthwise without dot products, any filter and stride, where no two weights of a channel are -128: two taps are multiplied and added in int16, then added to
// int32. 3x3 and 5x5 filters have loops of their own (depthwise_loops_neon.h); a filter zero point is depthwise_neon.c's.
//
// Tile: one output row, 4 columns (a last one or two: one), 16 channels: 16 accumulators. Reads: 16 bytes of each pixel of the window; past the last column the
// last again. Hazards: two products fit int16 unless both weights are -128.
#include "depthwise_neon.h"
#include "inline.h"
#include "requant_neon.h"

enum { NR = 16, COLUMNS = 4, VECTORS = 4 };

// Where a filter's taps are in the table of pixels, one after the other.
struct cursor {
  size_t offset, kx;
};

TVMQ_INLINE size_t next_tap(const struct tvmq_depthwise_args *args, struct cursor *cursor) {
  const size_t offset = cursor->offset++;
  if (++cursor->kx == args->filter_w) {
    cursor->kx = 0;
    cursor->offset += args->pixels_stride - args->filter_w;
  }
  return offset;
}

TVMQ_INLINE int8x16_t load_pixel(const void *pixel, size_t channel_offset, bool flips, int8x16_t flip) {
  const int8x16_t x = vld1q_s8((const int8_t *)pixel + channel_offset);
  return flips ? veorq_s8(x, flip) : x;
}

TVMQ_INLINE void add(int16x8_t low, int16x8_t high, int32x4_t acc[VECTORS]) {
  acc[0] = vaddw_s16(acc[0], vget_low_s16(low));
  acc[1] = vaddw_high_s16(acc[1], low);
  acc[2] = vaddw_s16(acc[2], vget_low_s16(high));
  acc[3] = vaddw_high_s16(acc[3], high);
}

TVMQ_INLINE void add_window(const struct tvmq_depthwise_args *args, int columns, const void *const *const column[COLUMNS], bool flips,
                            int32x4_t acc[COLUMNS][VECTORS]) {
  const int8x16_t flip = vdupq_n_s8((int8_t)args->in_flip);
  const size_t n_taps = args->filter_h * args->filter_w, channel = args->channel_offset;
  const int8_t *weights = (const int8_t *)args->panel + NR * sizeof(int32_t);
  struct cursor cursor = {0, 0};
  for (size_t t = 0; t + 1 < n_taps; t += 2, weights += 2 * NR) {
    const size_t first = next_tap(args, &cursor), second = next_tap(args, &cursor);
    const int8x16_t w0 = vld1q_s8(weights), w1 = vld1q_s8(weights + NR);
    UNROLL for (int i = 0; i < columns; i++) {
      const int8x16_t x0 = load_pixel(column[i][first], channel, flips, flip), x1 = load_pixel(column[i][second], channel, flips, flip);
      const int16x8_t low = vmlal_s8(vmull_s8(vget_low_s8(x0), vget_low_s8(w0)), vget_low_s8(x1), vget_low_s8(w1));
      add(low, vmlal_high_s8(vmull_high_s8(x0, w0), x1, w1), acc[i]);
    }
  }
  if (n_taps % 2 != 0) {
    const int8x16_t w = vld1q_s8(weights);
    UNROLL for (int i = 0; i < columns; i++) {
      const int8x16_t x = load_pixel(column[i][cursor.offset], channel, flips, flip);
      add(vmull_s8(vget_low_s8(x), vget_low_s8(w)), vmull_high_s8(x, w), acc[i]);
    }
  }
}

TVMQ_INLINE int8x16_t requantize(enum tvmq_neon_path path, const struct tvmq_depthwise_args *args, const struct tvmq_neon_stage *stage,
                                 const int32x4_t acc[VECTORS]) {
  const int32_t *params = (const int32_t *)((const int8_t *)args->panel + NR * sizeof(int32_t) + args->filter_h * args->filter_w * NR);
  int32x4_t multiplier[VECTORS], shift[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) multiplier[v] = vld1q_s32(params + 4 * v), shift[v] = vld1q_s32(params + NR + 4 * v);
  return tvmq_neon_requantize(path, stage, acc, multiplier, shift);
}

// `columns` columns of which `n` are stored.
TVMQ_INLINE void store(enum tvmq_neon_path path, const struct tvmq_depthwise_args *args, int columns, const int32x4_t acc[COLUMNS][VECTORS], size_t n,
                       int8_t *out) {
  const struct tvmq_neon_stage stage = tvmq_neon_stage(path, args->stage);
  const size_t stride = args->out_col_stride;
  int8x16_t bytes[COLUMNS];
  UNROLL for (int i = 0; i < columns; i++) bytes[i] = requantize(path, args, &stage, acc[i]);
  // All at once is asked first: tested one by one, compilers put off the work for a column until it is known to be stored.
  if (n >= (size_t)columns) {
    UNROLL for (size_t i = 0; i < (size_t)columns; i++) vst1q_s8(out + i * stride, bytes[i]);
  } else {
    UNROLL for (size_t i = 0; i < (size_t)columns; i++) {
      if (i < n) vst1q_s8(out + i * stride, bytes[i]);
    }
  }
}

// Columns from x on; past the last the last again.
TVMQ_INLINE void tile(const struct tvmq_depthwise_args *args, enum tvmq_neon_path path, bool flips, int columns, size_t x) {
  const int32_t *bias = args->panel;
  const size_t n = args->n_cols - x;
  int8_t *out = (int8_t *)args->out + x * args->out_col_stride;
  const void *const *column[COLUMNS];
  int32x4_t acc[COLUMNS][VECTORS];
  UNROLL for (size_t i = 0; i < (size_t)columns; i++) {
    column[i] = args->pixels + (x + (i < n ? i : n - 1)) * args->stride_w;
    UNROLL for (int v = 0; v < VECTORS; v++) acc[i][v] = vld1q_s32(bias + 4 * v);
  }
  add_window(args, columns, column, flips, acc);
  TVMQ_NEON_FOR_GENERAL_PATH(path, store, args, columns, acc, n, out);
}

// Works on a copy of the arguments, which no stored byte can be part of, and decides once what suits all tiles: maps may be a pixel small.
TVMQ_INLINE void depthwise(const struct tvmq_depthwise_args *args, bool flips) {
  struct tvmq_depthwise_args row = *args;
  const enum tvmq_neon_path path = tvmq_neon_general_path(args->stage);
  for (size_t block = 0; block < args->n_blocks; block++) {
    row.pixels = args->pixels;
    row.out = (int8_t *)args->out + block * NR;
    for (size_t y = 0; y < args->n_rows; y++) {
      size_t x = 0;
      for (; x + COLUMNS / 2 < row.n_cols; x += COLUMNS) tile(&row, path, flips, COLUMNS, x);
      for (; x < row.n_cols; x++) tile(&row, path, flips, 1, x);
      row.pixels += row.stride_h * row.pixels_stride;
      row.out = (int8_t *)row.out + row.out_row_stride;
    }
    row.channel_offset += NR;
    row.panel = (const char *)row.panel + row.panel_bytes;
  }
}

static __attribute__((noinline)) void as_they_are(const struct tvmq_depthwise_args *args) { depthwise(args, false); }
static __attribute__((noinline)) void flipped(const struct tvmq_depthwise_args *args) { depthwise(args, true); }

void tvmq_depthwise_s8_1x16p__neon(const struct tvmq_depthwise_args *args) {
  if (args->filter_zero_point != 0)
    tvmq_depthwise_s8_1x16__neon(args);
  else
    (args->in_flip ? flipped : as_they_are)(args);
}
