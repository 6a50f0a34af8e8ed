// Depthwise by dot products of four (sdot) down the rows: four table rows of a column are interleaved into "quads", 32-bit lanes of one channel's four rows,
// and an sdot multiplies them with four weights of a filter column. 3x3 filters have loops of their own (depthwise_3x3_dotprod.c); this takes any filter,
// stride and output stage.
//
// Tile: one or two output rows, 4 columns, 8 channels. Quads of a run of columns are made once and kept on the stack for all kernel columns and tiles of the
// run; a filter too large for that makes them anew for each tap column. Reads: 8 bytes of each pixel; where a group of four rows is not full, the window's last
// row again, against weights of zero, and past the last column the last again. Hazards: sdot does not saturate.
#include "depthwise_dotprod.h"

#include "requant_neon.h"

#define INLINE static inline __attribute__((always_inline))
// Arrays of vectors are registers only where every index is a constant.
#define UNROLL _Pragma("GCC unroll 16")

enum { NR = 8, GROUP_ROWS = 4, COLUMNS = 4, KEPT = 256 };

struct quads {
  int8x16_t channels[2];  // 0-3 and 4-7
};

// The window of a tile, in table rows and columns.
struct window {
  const struct tvmq_depthwise_args *args;
  size_t n_rows, n_groups;  // rows of it, groups of four of them
  size_t column_step;       // every column that is read is a multiple of this
  size_t plane_bytes;       // of weights
};

// One load: pairs of 16-byte loads, which compilers make of neighbours, are slow on in-order cores.
INLINE int8x16_t load(const void *p) {
  int8x16_t v;
  __asm__("ldr %q0, %1" : "=w"(v) : "m"(*(const int8x16_t *)p));
  return v;
}

INLINE int8x16_t load_pixel(const void *const *row, size_t column, size_t channel_offset) {
  return vcombine_s8(vld1_s8((const int8_t *)row[column] + channel_offset), vcreate_s8(0));
}

INLINE struct quads interleave(const void *const *const row[GROUP_ROWS], size_t column, size_t offset, int8x16_t flip) {
  const int8x16_t row01 = vzip1q_s8(load_pixel(row[0], column, offset), load_pixel(row[1], column, offset));
  const int8x16_t row23 = vzip1q_s8(load_pixel(row[2], column, offset), load_pixel(row[3], column, offset));
  const int16x8_t a = vreinterpretq_s16_s8(veorq_s8(row01, flip)), b = vreinterpretq_s16_s8(veorq_s8(row23, flip));
  return (struct quads){{vreinterpretq_s8_s16(vzip1q_s16(a, b)), vreinterpretq_s8_s16(vzip2q_s16(a, b))}};
}

// Makes the quads of one group and `n` columns, column_step apart; kept[0] and every n_kept-th after it are written. Two at a time, which in-order cores
// interleave.
static __attribute__((noinline)) void make_quads(const struct window *w, size_t column, size_t n, size_t group, struct quads *kept, size_t n_kept) {
  const void *const *row[GROUP_ROWS];
  for (size_t r = 0; r < GROUP_ROWS; r++) {
    const size_t y = group * GROUP_ROWS + r;
    row[r] = w->args->pixels + (y < w->n_rows ? y : w->n_rows - 1) * w->args->pixels_stride;
  }
  const size_t offset = w->args->channel_offset, step = w->column_step;
  const int8x16_t flip = vdupq_n_s8((int8_t)w->args->in_flip);
  for (; n > 1; n -= 2, column += 2 * step, kept += 2 * n_kept) {
    const struct quads left = interleave(row, column, offset, flip), right = interleave(row, column + step, offset, flip);
    kept[0] = left;
    kept[n_kept] = right;
  }
  if (n > 0) kept[0] = interleave(row, column, offset, flip);
}

// Adds the products of a tile with `n` steps of weights, of consecutive groups and kernel columns, in each plane. acc is [output row][column][4 channels], and
// column i's quads lie from quads[i] on.
INLINE void add_products(const struct window *w, int out_rows, const int8_t *weights, size_t n, const struct quads *const quads[COLUMNS], int32x4_t *acc) {
  for (size_t plane = 0; plane < w->args->n_planes; plane++, weights += w->plane_bytes) {
    const struct quads *q[COLUMNS] = {quads[0], quads[1], quads[2], quads[3]};
    const int8_t *at = weights;
    for (size_t step = 0; step < n; step++) {
      int8x16_t weight[4];
      UNROLL for (int i = 0; i < 2 * out_rows; i++) weight[i] = load(at + 16 * i);
      at += 32 * out_rows;
      UNROLL for (int i = 0; i < COLUMNS; i++) {
        const int8x16_t low = load(&q[i]->channels[0]), high = load(&q[i]->channels[1]);
        q[i]++;
        UNROLL for (int row = 0; row < out_rows; row++) {
          int32x4_t *a = acc + (row * COLUMNS + i) * 2;
          a[0] = vdotq_s32(a[0], low, weight[2 * row]);
          a[1] = vdotq_s32(a[1], high, weight[2 * row + 1]);
        }
      }
    }
  }
}

// Requantizes a tile, two columns at a time, and stores `n` columns of it.
INLINE void store(enum tvmq_neon_path path, const struct tvmq_depthwise_args *args, int out_rows, const int32_t *params, const int32x4_t *acc, size_t n,
                  int8_t *out) {
  const struct tvmq_neon_stage stage = tvmq_neon_stage(args->stage);
  const size_t row_stride = args->out_row_stride, stride = args->out_col_stride;
  const int32x4_t multiplier[4] = {vld1q_s32(params), vld1q_s32(params + 4), vld1q_s32(params), vld1q_s32(params + 4)};
  const int32x4_t shift[4] = {vld1q_s32(params + NR), vld1q_s32(params + NR + 4), vld1q_s32(params + NR), vld1q_s32(params + NR + 4)};
  int64x2_t bytes[4];
  UNROLL for (int i = 0; i < 2 * out_rows; i++) bytes[i] = vreinterpretq_s64_s8(tvmq_neon_requantize(path, &stage, acc + 4 * i, multiplier, shift));
  UNROLL for (int row = 0; row < out_rows; row++, out += row_stride) {
    vst1q_lane_s64((int64_t *)out, bytes[2 * row], 0);
    if (n > 1) vst1q_lane_s64((int64_t *)(out + stride), bytes[2 * row], 1);
    if (n > 2) vst1q_lane_s64((int64_t *)(out + 2 * stride), bytes[2 * row + 1], 0);
    if (n > 3) vst1q_lane_s64((int64_t *)(out + 3 * stride), bytes[2 * row + 1], 1);
  }
}

// Where the weights of a step begin.
INLINE const int8_t *weights_at(const struct window *w, int out_rows, size_t kernel_column, size_t group) {
  return (const int8_t *)w->args->panel + NR * sizeof(int32_t) + (kernel_column * w->n_groups + group) * (size_t)out_rows * NR * GROUP_ROWS;
}

INLINE void depthwise(const struct tvmq_depthwise_args *args, int out_rows) {
  const size_t stride = args->stride_w, n_kx = args->filter_w;
  struct window w = {.args = args, .n_rows = (size_t)(out_rows - 1) * args->stride_h + args->filter_h};
  w.n_groups = (w.n_rows + GROUP_ROWS - 1) / GROUP_ROWS;
  w.column_step = n_kx == 1 ? stride : 1;
  w.plane_bytes = n_kx * w.n_groups * (size_t)out_rows * NR * GROUP_ROWS;
  const size_t tile_step = stride / w.column_step * w.n_groups;
  const int32_t *bias = args->panel, *params = (const int32_t *)(weights_at(&w, out_rows, 0, 0) + args->n_planes * w.plane_bytes);
  const enum tvmq_neon_path path = tvmq_neon_path(args->stage);

  // A run is as many columns as there is room for the quads of.
  struct quads kept[KEPT];
  const size_t span = n_kx - 1, room = KEPT / w.n_groups * w.column_step;
  const bool keeps = room > span + (COLUMNS - 1) * stride;
  const size_t run = keeps ? ((room - span - 1) / stride + 1) / COLUMNS * COLUMNS : COLUMNS;

  for (size_t begin = 0; begin < args->n_cols; begin += run) {
    const size_t end = args->n_cols - begin < run ? args->n_cols : begin + run;
    if (keeps) {
      const size_t n = ((end - 1 - begin) * stride + span) / w.column_step + 1;
      for (size_t g = 0; g < w.n_groups; g++) make_quads(&w, begin * stride, n, g, kept + g, w.n_groups);
    }
    for (size_t x = begin; x < end; x += COLUMNS) {
      const int32x4_t bias0 = vld1q_s32(bias), bias1 = vld1q_s32(bias + 4);
      int32x4_t acc[4 * COLUMNS];
      UNROLL for (int i = 0; i < out_rows * COLUMNS; i++) acc[2 * i] = bias0, acc[2 * i + 1] = bias1;
      size_t column[COLUMNS];
      UNROLL for (size_t i = 0; i < COLUMNS; i++) column[i] = x + i < end ? x + i : end - 1;
      if (keeps) {
        const struct quads *quads[COLUMNS];
        UNROLL for (size_t i = 0; i < COLUMNS; i++) quads[i] = kept + (column[i] - begin) * tile_step;
        add_products(&w, out_rows, weights_at(&w, out_rows, 0, 0), n_kx * w.n_groups, quads, acc);
      } else {
        const struct quads *const quads[COLUMNS] = {kept, kept + 1, kept + 2, kept + 3};
        for (size_t kx = 0; kx < n_kx; kx++) {
          for (size_t g = 0; g < w.n_groups; g++) {
            for (size_t i = 0; i < COLUMNS; i++) make_quads(&w, column[i] * stride + kx, 1, g, kept + i, 1);
            add_products(&w, out_rows, weights_at(&w, out_rows, kx, g), 1, quads, acc);
          }
        }
      }
      int8_t *out = (int8_t *)args->out + x * args->out_col_stride;
      switch (path) {
        case TVMQ_NEON_PLAIN:
          store(TVMQ_NEON_PLAIN, args, out_rows, params, acc, end - x, out);
          break;
        case TVMQ_NEON_INT16:
          store(TVMQ_NEON_INT16, args, out_rows, params, acc, end - x, out);
          break;
        case TVMQ_NEON_DOUBLE:
          store(TVMQ_NEON_DOUBLE, args, out_rows, params, acc, end - x, out);
          break;
        case TVMQ_NEON_SINGLE:
          store(TVMQ_NEON_SINGLE, args, out_rows, params, acc, end - x, out);
          break;
      }
    }
  }
}

static void single_row(const struct tvmq_depthwise_args *args) { depthwise(args, 1); }
static void pair_of_rows(const struct tvmq_depthwise_args *args) { depthwise(args, 2); }

static __attribute__((noinline)) void single_rows(const struct tvmq_depthwise_args *args) { tvmq_depthwise_tiles(args, 1, NR, single_row); }
static __attribute__((noinline)) void pairs_of_rows(const struct tvmq_depthwise_args *args) { tvmq_depthwise_tiles(args, 2, NR, pair_of_rows); }

void tvmq_depthwise_s8_1x8v4__dotprod(const struct tvmq_depthwise_args *args) { single_rows(args); }

void tvmq_depthwise_s8_2x8v4s1__dotprod(const struct tvmq_depthwise_args *args) { pairs_of_rows(args); }

void tvmq_depthwise_s8_2x8v4s2__dotprod(const struct tvmq_depthwise_args *args) { pairs_of_rows(args); }

void tvmq_depthwise_s8_3x3_2x8v4s1__dotprod(const struct tvmq_depthwise_args *args) {
  if (!tvmq_depthwise_3x3s1_dotprod(args)) pairs_of_rows(args);
}

void tvmq_depthwise_s8_3x3_2x8v4s2__dotprod(const struct tvmq_depthwise_args *args) {
  if (!tvmq_depthwise_3x3s2_dotprod(args)) single_rows(args);
}
