// Depthwise by dot products of four (sdot) down the rows: four table rows of a column are interleaved into "quads", 32-bit lanes of one channel's four rows,
// and an sdot multiplies them with four weights of a filter column. 3x3 filters have loops of their own (depthwise_3x3_dotprod.c); this takes any filter,
// stride, dilation and output stage.
//
// Tile: one or two output rows, 8 accumulators (8 channels of four or two columns) at a time. A column is interleaved once for all kernel columns: quads of a
// run of columns are kept on the stack. Where a filter is one column wide, or too large for that, each use interleaves anew. Reads: 8 bytes of each pixel;
// where a group of four rows is not full, the window's last row again, against weights of zero, and past the last column the last again. Hazards: sdot does not
// saturate.
#include "depthwise_dotprod.h"

#include "requant_neon.h"

#define INLINE static inline __attribute__((always_inline))

enum { NR = 8, GROUP_ROWS = 4, KEPT = 256 };

struct quads {
  int8x16_t channels[2];  // 0-3 and 4-7
};

// The window of a tile, in table rows and columns.
struct window {
  const struct tvmq_depthwise_args *args;
  size_t n_rows, n_groups, row_pitch;  // rows of it, groups of four of them, and pointers between two
  size_t column_step;                  // every column that is read is a multiple of this
  int8x16_t flip;
};

static size_t gcd(size_t a, size_t b) { return b == 0 ? a : gcd(b, a % b); }

INLINE int8x16_t load_row(const struct window *w, const void *const *column, size_t row) {
  const void *pixel = column[(row < w->n_rows ? row : w->n_rows - 1) * w->row_pitch];
  return vcombine_s8(vld1_s8((const int8_t *)pixel + w->args->channel_offset), vcreate_s8(0));
}

INLINE struct quads interleave(const struct window *w, const void *const *column, size_t group) {
  const size_t row = group * GROUP_ROWS;
  const int8x16_t row01 = vzip1q_s8(load_row(w, column, row), load_row(w, column, row + 1));
  const int8x16_t row23 = vzip1q_s8(load_row(w, column, row + 2), load_row(w, column, row + 3));
  const int16x8_t a = vreinterpretq_s16_s8(veorq_s8(row01, w->flip)), b = vreinterpretq_s16_s8(veorq_s8(row23, w->flip));
  return (struct quads){{vreinterpretq_s8_s16(vzip1q_s16(a, b)), vreinterpretq_s8_s16(vzip2q_s16(a, b))}};
}

// Adds to 8 accumulators: [output row][column][4 channels]. Column i of the tile is columns[i] of the table; its quads are at kept[i], unless `keeps` is false.
INLINE void add_products(const struct window *w, int out_rows, const size_t *columns, bool keeps, const struct quads *const *kept, int32x4_t acc[8]) {
  const struct tvmq_depthwise_args *args = w->args;
  const int n_columns = 4 / out_rows;
  const size_t kept_step = args->dilation_w / w->column_step * w->n_groups;
  const int8_t *weights = (const int8_t *)args->panel + NR * sizeof(int32_t);
  for (size_t plane = 0; plane < args->n_planes; plane++) {
    for (size_t kx = 0; kx < args->filter_w; kx++) {
      for (size_t group = 0; group < w->n_groups; group++) {
        struct quads quads[4];
        for (int i = 0; i < n_columns; i++)
          quads[i] = keeps ? kept[i][kx * kept_step + group] : interleave(w, args->pixels + columns[i] + kx * args->dilation_w, group);
        for (int row = 0; row < out_rows; row++, weights += NR * GROUP_ROWS) {
          const int8x16_t weight[2] = {vld1q_s8(weights), vld1q_s8(weights + 16)};
          for (int i = 0; i < n_columns; i++) {
            for (int v = 0; v < 2; v++) {
              int32x4_t *a = &acc[(row * n_columns + i) * 2 + v];
              *a = vdotq_s32(*a, quads[i].channels[v], weight[v]);
            }
          }
        }
      }
    }
  }
}

// Requantizes 8 accumulators and stores `n` columns.
INLINE void store_by(enum tvmq_neon_path path, const struct tvmq_depthwise_args *args, int out_rows, const int32_t *params, const int32x4_t acc[8], size_t n,
                     int8_t *out) {
  const struct tvmq_neon_stage stage = tvmq_neon_stage(args->stage);
  const int32x4_t multiplier[4] = {vld1q_s32(params), vld1q_s32(params + 4), vld1q_s32(params), vld1q_s32(params + 4)};
  const int32x4_t shift[4] = {vld1q_s32(params + NR), vld1q_s32(params + NR + 4), vld1q_s32(params + NR), vld1q_s32(params + NR + 4)};
  for (int i = 0; i < 2; i++) {
    const int8x16_t bytes = tvmq_neon_requantize(path, &stage, acc + 4 * i, multiplier, shift);
    const size_t column = out_rows == 1 ? 2 * (size_t)i : 0;
    int8_t *to = out + column * args->out_col_stride + (out_rows == 1 ? 0 : (size_t)i * args->out_row_stride);
    if (column < n) vst1_s8(to, vget_low_s8(bytes));
    if (column + 1 < n) vst1_s8(to + args->out_col_stride, vget_high_s8(bytes));
  }
}

INLINE void store(enum tvmq_neon_path path, const struct tvmq_depthwise_args *args, int out_rows, const int32_t *params, const int32x4_t acc[8], size_t n,
                  int8_t *out) {
  switch (path) {
    case TVMQ_NEON_PLAIN:
      store_by(TVMQ_NEON_PLAIN, args, out_rows, params, acc, n, out);
      break;
    case TVMQ_NEON_INT16:
      store_by(TVMQ_NEON_INT16, args, out_rows, params, acc, n, out);
      break;
    case TVMQ_NEON_DOUBLE:
      store_by(TVMQ_NEON_DOUBLE, args, out_rows, params, acc, n, out);
      break;
    case TVMQ_NEON_SINGLE:
      store_by(TVMQ_NEON_SINGLE, args, out_rows, params, acc, n, out);
      break;
  }
}

INLINE void depthwise(const struct tvmq_depthwise_args *args, int out_rows) {
  const size_t tile_columns = 4 / (size_t)out_rows, stride = args->stride_w;
  struct window w = {.args = args, .n_rows = (size_t)out_rows - 1 + args->filter_h, .row_pitch = args->dilation_h * args->pixels_stride};
  w.n_groups = (w.n_rows + GROUP_ROWS - 1) / GROUP_ROWS;
  w.column_step = args->filter_w > 1 ? gcd(stride, args->dilation_w) : stride;
  w.flip = vdupq_n_s8((int8_t)args->in_flip);
  const int32_t *bias = args->panel;
  const int32_t *params = (const int32_t *)((const int8_t *)(bias + NR) + args->n_planes * args->filter_w * w.n_groups * (size_t)out_rows * NR * GROUP_ROWS);
  const enum tvmq_neon_path path = tvmq_neon_path(args->stage);

  // Columns are kept for a run of tiles: as many as their quads leave room for.
  struct quads kept[KEPT];
  const size_t span = (args->filter_w - 1) * args->dilation_w, capacity = KEPT / w.n_groups * w.column_step;
  const bool keeps = args->filter_w > 1 && capacity > span + (tile_columns - 1) * stride;
  size_t run = keeps ? (capacity - span - 1) / stride + 1 : tile_columns;
  run -= run % tile_columns;

  for (size_t begin = 0; begin < args->n_cols; begin += run) {
    const size_t end = args->n_cols - begin < run ? args->n_cols : begin + run;
    if (keeps) {
      struct quads *to = kept;
      for (size_t column = begin * stride; column <= (end - 1) * stride + span; column += w.column_step) {
        for (size_t group = 0; group < w.n_groups; group++) *to++ = interleave(&w, args->pixels + column, group);
      }
    }
    for (size_t x = begin; x < end; x += tile_columns) {
      size_t columns[4];
      const struct quads *quads[4];
      for (size_t i = 0; i < tile_columns; i++) {
        const size_t column = x + i < end ? x + i : end - 1;
        columns[i] = column * stride;
        quads[i] = kept + (column - begin) * (stride / w.column_step) * w.n_groups;
      }
      const int32x4_t bias0 = vld1q_s32(bias), bias1 = vld1q_s32(bias + 4);
      int32x4_t acc[8] = {bias0, bias1, bias0, bias1, bias0, bias1, bias0, bias1};
      if (keeps)
        add_products(&w, out_rows, columns, true, quads, acc);
      else
        add_products(&w, out_rows, columns, false, quads, acc);
      store(path, args, out_rows, params, acc, end - x, (int8_t *)args->out + x * args->out_col_stride);
    }
  }
}

// Output rows that share no quads, one after the other.
static void depthwise_rows(const struct tvmq_depthwise_args *args, size_t n) {
  struct tvmq_depthwise_args row = *args;
  for (; n > 0; n--, row.pixels += args->stride_h * args->pixels_stride, row.out = (char *)row.out + args->out_row_stride) depthwise(&row, 1);
}

void tvmq_depthwise_s8_1x8v4__dotprod(const struct tvmq_depthwise_args *args) { depthwise_rows(args, 1); }

void tvmq_depthwise_s8_2x8v4s1__dotprod(const struct tvmq_depthwise_args *args) {
  if (args->filter_h != 3 || args->filter_w != 3 || !tvmq_depthwise_3x3s1_dotprod(args)) depthwise(args, 2);
}

void tvmq_depthwise_s8_2x8v4s2__dotprod(const struct tvmq_depthwise_args *args) {
  if (!tvmq_depthwise_3x3s2_dotprod(args)) depthwise_rows(args, 2);
}
