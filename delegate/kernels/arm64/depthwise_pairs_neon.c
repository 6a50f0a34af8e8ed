// Depthwise without dot products, any filter and stride, if no two weights of a channel are -128: two taps are
// multiplied and added in int16, then added to int32. 3x3 and 5x5 filters have loops of their own
// (depthwise_loops_neon.h). depthwise_neon.c computes filters with a zero point.
//
// Tile: 4 columns of one block of 16 channels, or, for a row's last one or two columns, one column of two blocks: 16 or
// 8 accumulators. With one column, a window without gaps in the table, such as a row of single pixels, is treated as a
// single row of taps.
//
// Reads: 16 bytes of each pixel of the window; after the last of 4 columns, that column again. Hazards: two products
// fit int16 unless both weights are -128.
#include "base/inline.h"
#include "kernels/arm64/depthwise_neon.h"
#include "kernels/arm64/stage_neon.h"

enum { NR = 16, COLUMNS = 4, BLOCKS = 2, VECTORS = 4 };

// State shared by all tiles: a copy of the arguments, because the compiler must assume that stores change the
// originals, and values derived from them.
struct call {
  struct tvmq_depthwise_args args;
  bool flips;
  int8x16_t flip;
  size_t n_taps;
};

TVMQ_INLINE int8x16_t load_pixel(const struct call *call, const void *pixel, size_t channel) {
  const int8x16_t x = vld1q_s8((const int8_t *)pixel + channel);
  return call->flips ? veorq_s8(x, call->flip) : x;
}

// Adds the products of 16 channels, given as two halves.
TVMQ_INLINE void add(int16x8_t low, int16x8_t high, int32x4_t acc[VECTORS]) {
  acc[0] = vaddw_s16(acc[0], vget_low_s16(low));
  acc[1] = vaddw_high_s16(acc[1], low);
  acc[2] = vaddw_s16(acc[2], vget_low_s16(high));
  acc[3] = vaddw_high_s16(acc[3], high);
}

TVMQ_INLINE void add_one(int8x16_t x, int8x16_t w, int32x4_t acc[VECTORS]) { add(vmull_s8(vget_low_s8(x), vget_low_s8(w)), vmull_high_s8(x, w), acc); }

TVMQ_INLINE void add_two(int8x16_t x0, int8x16_t w0, int8x16_t x1, int8x16_t w1, int32x4_t acc[VECTORS]) {
  const int16x8_t low = vmlal_s8(vmull_s8(vget_low_s8(x0), vget_low_s8(w0)), vget_low_s8(x1), vget_low_s8(w1));
  add(low, vmlal_high_s8(vmull_high_s8(x0, w0), x1, w1), acc);
}

TVMQ_INLINE const int8_t *weights_of(const void *panel) { return (const int8_t *)panel + NR * sizeof(int32_t); }

TVMQ_INLINE void load_bias(const void *panel, int32x4_t acc[VECTORS]) {
  UNROLL for (int v = 0; v < VECTORS; v++) acc[v] = vld1q_s32((const int32_t *)panel + 4 * v);
}

TVMQ_INLINE int8x16_t requantize(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const int8_t *behind_weights, const int32x4_t acc[VECTORS]) {
  const int32_t *params = (const int32_t *)behind_weights;
  int32x4_t multiplier[VECTORS], shift[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) multiplier[v] = vld1q_s32(params + 4 * v), shift[v] = vld1q_s32(params + NR + 4 * v);
  return tvmq_neon_requantize(path, stage, acc, multiplier, shift);
}

// ---- one column of up to two blocks

// Computes `n` blocks from `block` on, for the output pixel at `out`, whose window begins at `window`.
TVMQ_INLINE void pixel(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const struct call *call, const void *const *window, int8_t *out,
                       size_t block, int n) {
  const struct tvmq_depthwise_args *args = &call->args;
  const bool gapless = args->pixels_stride == args->filter_w;
  const size_t n_rows = gapless ? 1 : args->filter_h, row_taps = gapless ? call->n_taps : args->filter_w;
  const size_t first = args->channel_offset + block * NR;
  const int8_t *weights[BLOCKS];
  int32x4_t acc[BLOCKS][VECTORS];
  UNROLL for (int i = 0; i < n; i++) {
    const char *panel = (const char *)args->panel + (block + (size_t)i) * args->panel_bytes;
    weights[i] = weights_of(panel);
    load_bias(panel, acc[i]);
  }
  for (size_t ky = 0; ky < n_rows; ky++, window += args->pixels_stride) {
    size_t kx = 0;
    for (; kx + 1 < row_taps; kx += 2) {
      const void *const left = window[kx], *const right = window[kx + 1];
      UNROLL for (int i = 0; i < n; i++) {
        const size_t channel = first + (size_t)i * NR;
        add_two(load_pixel(call, left, channel), vld1q_s8(weights[i]), load_pixel(call, right, channel), vld1q_s8(weights[i] + NR), acc[i]);
        weights[i] += 2 * NR;
      }
    }
    if (kx == row_taps) continue;
    UNROLL for (int i = 0; i < n; i++) {
      add_one(load_pixel(call, window[kx], first + (size_t)i * NR), vld1q_s8(weights[i]), acc[i]);
      weights[i] += NR;
    }
  }
  if (path == TVMQ_NEON_SUMS) {
    UNROLL for (int i = 0; i < n; i++) tvmq_neon_store_sums(out + (block + (size_t)i) * NR * sizeof(int32_t), acc[i], VECTORS);
    return;
  }
  int8x16_t bytes[BLOCKS];
  UNROLL for (int i = 0; i < n; i++) bytes[i] = requantize(path, stage, weights[i], acc[i]);
  UNROLL for (int i = 0; i < n; i++) vst1q_s8(out + (block + (size_t)i) * NR, bytes[i]);
}

// Computes the columns of each row from x on.
TVMQ_INLINE void pixels(enum tvmq_neon_path path, const struct call *call, size_t x) {
  const struct tvmq_depthwise_args *args = &call->args;
  const struct tvmq_neon_stage stage = tvmq_neon_stage(path, args->stage);
  for (size_t y = 0; y < args->n_rows; y++) {
    const void *const *window = args->pixels + y * args->stride_h * args->pixels_stride + x * args->stride_w;
    int8_t *out = (int8_t *)args->out + y * args->out_row_stride + x * args->out_col_stride;
    for (size_t i = x; i < args->n_cols; i++, window += args->stride_w, out += args->out_col_stride) {
      size_t block = 0;
      for (; block + BLOCKS <= args->n_blocks; block += BLOCKS) pixel(path, &stage, call, window, out, block, BLOCKS);
      if (block < args->n_blocks) pixel(path, &stage, call, window, out, block, 1);
    }
  }
}

// ---- four columns of a block

// Position of a filter's taps in the table of pixels, tap by tap.
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

// Adds the products of the columns' windows. Returns the end of the weights.
TVMQ_INLINE const int8_t *add_windows(const struct call *call, const int8_t *weights, const void *const *const column[COLUMNS], size_t channel,
                                      int32x4_t acc[COLUMNS][VECTORS]) {
  struct cursor cursor = {0, 0};
  for (size_t t = 0; t + 1 < call->n_taps; t += 2, weights += 2 * NR) {
    const size_t first = next_tap(&call->args, &cursor), second = next_tap(&call->args, &cursor);
    const int8x16_t w0 = vld1q_s8(weights), w1 = vld1q_s8(weights + NR);
    UNROLL for (int i = 0; i < COLUMNS; i++) {
      add_two(load_pixel(call, column[i][first], channel), w0, load_pixel(call, column[i][second], channel), w1, acc[i]);
    }
  }
  if (call->n_taps % 2 == 0) return weights;
  const int8x16_t w = vld1q_s8(weights);
  UNROLL for (int i = 0; i < COLUMNS; i++) add_one(load_pixel(call, column[i][cursor.offset], channel), w, acc[i]);
  return weights + NR;
}

TVMQ_INLINE void store(enum tvmq_neon_path path, const struct call *call, const int8_t *behind_weights, const int32x4_t acc[COLUMNS][VECTORS], size_t n,
                       int8_t *out) {
  const struct tvmq_neon_stage stage = tvmq_neon_stage(path, call->args.stage);
  const size_t stride = call->args.out_col_stride;
  if (path == TVMQ_NEON_SUMS) {
    UNROLL for (size_t i = 0; i + 1 < COLUMNS; i++) tvmq_neon_store_sums(out + i * stride, acc[i], VECTORS);
    if (n >= COLUMNS) tvmq_neon_store_sums(out + (COLUMNS - 1) * stride, acc[COLUMNS - 1], VECTORS);
    return;
  }
  int8x16_t bytes[COLUMNS];
  UNROLL for (int i = 0; i < COLUMNS; i++) bytes[i] = requantize(path, &stage, behind_weights, acc[i]);
  UNROLL for (size_t i = 0; i + 1 < COLUMNS; i++) vst1q_s8(out + i * stride, bytes[i]);
  if (n >= COLUMNS) vst1q_s8(out + (COLUMNS - 1) * stride, bytes[COLUMNS - 1]);
}

// Computes three or four columns from x on.
TVMQ_INLINE void tile(enum tvmq_neon_path path, bool sums, const struct call *call, size_t block, size_t y, size_t x) {
  const struct tvmq_depthwise_args *args = &call->args;
  const char *panel = (const char *)args->panel + block * args->panel_bytes;
  const size_t n = args->n_cols - x;
  int8_t *out = (int8_t *)args->out + block * NR * tvmq_stored_bytes(args->stage) + y * args->out_row_stride + x * args->out_col_stride;
  const void *const *column[COLUMNS];
  int32x4_t acc[COLUMNS][VECTORS];
  UNROLL for (size_t i = 0; i < COLUMNS; i++) {
    column[i] = args->pixels + y * args->stride_h * args->pixels_stride + (x + (i < n ? i : n - 1)) * args->stride_w;
    load_bias(panel, acc[i]);
  }
  const int8_t *behind_weights = add_windows(call, weights_of(panel), column, args->channel_offset + block * NR, acc);
  if (sums)
    store(TVMQ_NEON_SUMS, call, behind_weights, acc, n, out);
  else
    TVMQ_NEON_FOR_GENERAL_PATH(path, store, call, behind_weights, acc, n, out);
}

TVMQ_INLINE void depthwise(const struct tvmq_depthwise_args *args, bool flips, bool sums) {
  const struct call call = {.args = *args, .flips = flips, .flip = vdupq_n_s8((int8_t)args->in_flip), .n_taps = args->filter_h * args->filter_w};
  const enum tvmq_neon_path path = sums ? TVMQ_NEON_SUMS : tvmq_neon_general_path(args->stage);
  const size_t n = args->n_cols, whole = n % COLUMNS > COLUMNS / 2 ? n : n - n % COLUMNS;
  for (size_t block = 0; block < args->n_blocks && whole > 0; block++) {
    for (size_t y = 0; y < args->n_rows; y++) {
      for (size_t x = 0; x < whole; x += COLUMNS) tile(path, sums, &call, block, y, x);
    }
  }
  if (whole < n && sums)
    pixels(TVMQ_NEON_SUMS, &call, whole);
  else if (whole < n)
    TVMQ_NEON_FOR_GENERAL_PATH(path, pixels, &call, whole);
}

static __attribute__((noinline)) void as_they_are(const struct tvmq_depthwise_args *args) { depthwise(args, false, false); }
static __attribute__((noinline)) void flipped(const struct tvmq_depthwise_args *args) { depthwise(args, true, false); }
// A separate function: in common loops with the other paths, gcc runs out of registers.
static __attribute__((noinline)) void sums(const struct tvmq_depthwise_args *args) { depthwise(args, false, true); }
static __attribute__((noinline)) void sums_flipped(const struct tvmq_depthwise_args *args) { depthwise(args, true, true); }

void tvmq_depthwise_s8_1x16p__neon(const struct tvmq_depthwise_args *args) {
  if (args->filter_zero_point != 0)
    tvmq_depthwise_s8_1x16__neon(args);
  else
    (args->stage->sums ? args->in_flip ? sums_flipped : sums : args->in_flip ? flipped : as_they_are)(args);
}
