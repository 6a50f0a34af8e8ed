// Depthwise by dot products of four (sdot) down the rows. Four table rows of a column are interleaved into "quads",
// 32-bit lanes with one channel's four rows. An sdot multiplies quads by four weights of a filter column. 3x3 filters
// have loops of their own (depthwise_3x3_dotprod.c); this file supports any filter, stride and output stage.
//
// Tile: one or two output rows, 4 columns, 8 channels. If kernel columns share quads, the quads of a run of columns are
// made once, and kept on the stack for all tiles of the run. Otherwise, or if a filter is too large, a tile makes its
// own quads. Reads: 8 bytes of each pixel. If a group has fewer than four rows, the window's last row is read again;
// its weights are zero. After the last column of a run, that column is read again. Hazards: sdot does not saturate.
#include "kernels/arm64/depthwise_dotprod.h"

#include "base/inline.h"
#include "kernels/arm64/stage_neon.h"

enum { NR = 8, GROUP_ROWS = 4, COLUMNS = 4, KEPT = 256, MIN_RUN = 3 };

struct quads {
  int8x16_t channels[2];  // channels 0-3 and 4-7
};

// The window of a tile. Only inlined functions use it, so that it stays in registers.
struct window {
  struct tvmq_depthwise_args args;
  size_t n_rows, n_groups;  // table rows, and groups of four rows
  size_t plane_bytes;       // bytes of a plane of weights
  const int8_t *weights;
  const int32_t *params;     // multipliers and shifts
  enum tvmq_neon_path path;  // path of the block
};

// Loads 16 bytes with one instruction: compilers combine neighbours to pair loads, which are slow on in-order cores.
TVMQ_INLINE int8x16_t load(const void *p) {
  int8x16_t v;
  __asm__("ldr %q0, %1" : "=w"(v) : "m"(*(const int8x16_t *)p));
  return v;
}

TVMQ_INLINE int8x16_t load_pixel(const void *const *row, size_t column, size_t channel_offset) {
  return vcombine_s8(vld1_s8((const int8_t *)row[column] + channel_offset), vcreate_s8(0));
}

TVMQ_INLINE struct quads interleave(const void *const *const row[GROUP_ROWS], size_t column, size_t offset, int8x16_t flip) {
  const int8x16_t row01 = vzip1q_s8(load_pixel(row[0], column, offset), load_pixel(row[1], column, offset));
  const int8x16_t row23 = vzip1q_s8(load_pixel(row[2], column, offset), load_pixel(row[3], column, offset));
  const int16x8_t a = vreinterpretq_s16_s8(veorq_s8(row01, flip)), b = vreinterpretq_s16_s8(veorq_s8(row23, flip));
  return (struct quads){{vreinterpretq_s8_s16(vzip1q_s16(a, b)), vreinterpretq_s8_s16(vzip2q_s16(a, b))}};
}

// Sets the table rows of a group.
TVMQ_INLINE void group_rows(const struct window *w, size_t group, const void *const *row[GROUP_ROWS]) {
  UNROLL for (size_t r = 0; r < GROUP_ROWS; r++) {
    const size_t y = group * GROUP_ROWS + r;
    row[r] = w->args.pixels + (y < w->n_rows ? y : w->n_rows - 1) * w->args.pixels_stride;
  }
}

// Makes the quads of one group of rows and `n` columns; writes kept[0] and every n_kept-th element after it. Makes two
// columns at a time, which in-order cores interleave, and whose pointers one instruction loads.
static __attribute__((noinline)) void make_quads(const void *const *const row[GROUP_ROWS], size_t column, size_t n, size_t channel_offset, uint8_t in_flip,
                                                 struct quads *kept, size_t n_kept) {
  const int8x16_t flip = vdupq_n_s8((int8_t)in_flip);
  const void *const *at[GROUP_ROWS] = {row[0] + column, row[1] + column, row[2] + column, row[3] + column};
  for (; n > 1; n -= 2, kept += 2 * n_kept) {
    const struct quads left = interleave(at, 0, channel_offset, flip), right = interleave(at, 1, channel_offset, flip);
    UNROLL for (int r = 0; r < GROUP_ROWS; r++) at[r] += 2;
    kept[0] = left;
    kept[n_kept] = right;
  }
  if (n > 0) kept[0] = interleave(at, 0, channel_offset, flip);
}

// Adds the products of a tile. acc: [output row][column][4 channels]. quads[i]: the quads of column i; those of a
// kernel column are contiguous.
TVMQ_INLINE void add_products(const struct window *w, int out_rows, const struct quads *const quads[COLUMNS], int32x4_t *acc) {
  const int8_t *weights = w->weights;
  for (size_t plane = 0; plane < w->args.n_planes; plane++) {
    const struct quads *q[COLUMNS] = {quads[0], quads[1], quads[2], quads[3]};
    for (size_t step = 0; step < w->args.filter_w * w->n_groups; step++, weights += 32 * out_rows) {
      int8x16_t weight[4];
      UNROLL for (int i = 0; i < 2 * out_rows; i++) weight[i] = load(weights + 16 * i);
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

// Adds the products of `columns` columns whose quads are used only once.
TVMQ_INLINE void add_products_directly(const struct window *w, int out_rows, int columns, size_t column, int32x4_t *acc) {
  const struct tvmq_depthwise_args *args = &w->args;
  const int8x16_t flip = vdupq_n_s8((int8_t)args->in_flip);
  const int8_t *weights = w->weights;
  for (size_t kx = 0; kx < args->filter_w; kx++, column++) {
    UNROLL for (size_t g = 0; g < w->n_groups; g++, weights += 32 * out_rows) {
      const void *const *row[GROUP_ROWS];
      group_rows(w, g, row);
      struct quads quads[COLUMNS];
      UNROLL for (size_t i = 0; i < (size_t)columns; i++) quads[i] = interleave(row, column + i * args->stride_w, args->channel_offset, flip);
      for (size_t plane = 0; plane < args->n_planes; plane++) {
        UNROLL for (int o = 0; o < out_rows; o++) {
          const int8x16_t low = load(weights + plane * w->plane_bytes + 32 * o), high = load(weights + plane * w->plane_bytes + 32 * o + 16);
          UNROLL for (int i = 0; i < columns; i++) {
            int32x4_t *a = acc + (o * columns + i) * 2;
            a[0] = vdotq_s32(a[0], quads[i].channels[0], low);
            a[1] = vdotq_s32(a[1], quads[i].channels[1], high);
          }
        }
      }
    }
  }
}

// Requantizes a tile, two outputs at a time, and stores `n` columns of it.
TVMQ_INLINE void store(enum tvmq_neon_path path, const struct window *w, int out_rows, int columns, const int32x4_t *acc, size_t n, int8_t *out) {
  const struct tvmq_neon_stage stage = tvmq_neon_stage(path, w->args.stage);
  const size_t stride = w->args.out_col_stride, row_stride = w->args.out_row_stride;
  if (path == TVMQ_NEON_SUMS) {
    UNROLL for (size_t i = 0; i < (size_t)(out_rows * columns); i++) {
      const size_t row = i / (size_t)columns, column = i % (size_t)columns;
      if (column < n) tvmq_neon_store_sums(out + row * row_stride + column * stride, acc + 2 * i, 2);
    }
    return;
  }
  const int32_t *params = w->params;
  const int32x4_t m0 = vld1q_s32(params), m1 = vld1q_s32(params + 4), s0 = vld1q_s32(params + NR), s1 = vld1q_s32(params + NR + 4);
  const int32x4_t multiplier[4] = {m0, m1, m0, m1}, shift[4] = {s0, s1, s0, s1};
  const int outputs = out_rows * columns;
  int8x16_t bytes[COLUMNS];
  UNROLL for (int i = 0; i < outputs; i += 2) {
    const int32x4_t *a = acc + 2 * i, *b = i + 1 < outputs ? a + 2 : a;
    bytes[i / 2] = tvmq_neon_requantize(path, &stage, (const int32x4_t[]){a[0], a[1], b[0], b[1]}, multiplier, shift);
  }
#define STORE(ROW, COLUMN) \
  tvmq_neon_store_half(out + (size_t)(ROW) * row_stride + (size_t)(COLUMN) * stride, bytes[((ROW) * columns + (COLUMN)) / 2], (COLUMN) % 2)
  if (columns == 1) {
    tvmq_neon_store_half(out, bytes[0], 0);
    if (out_rows > 1) tvmq_neon_store_half(out + row_stride, bytes[0], 1);
    return;
  }
  // Tests for all columns first: with one test per column, compilers delay the work for a column until its test.
  if (n >= (size_t)columns) {
    UNROLL for (int row = 0; row < out_rows; row++) {
      STORE(row, 0);
      STORE(row, 1);
      if (columns == 2) continue;
      STORE(row, 2);
      STORE(row, 3);
    }
  } else {
    UNROLL for (int row = 0; row < out_rows; row++) {
      STORE(row, 0);
      if (n > 1) STORE(row, 1);
      if (n > 2) STORE(row, 2);
    }
  }
#undef STORE
}

TVMQ_INLINE void store_by_path(const struct window *w, int out_rows, int columns, const int32x4_t *acc, size_t n, size_t x) {
  int8_t *out = (int8_t *)w->args.out + x * w->args.out_col_stride;
  TVMQ_NEON_FOR_GENERAL_PANEL_PATH_OR_SUMS(w->path, store, w, out_rows, columns, acc, n, out);
}

TVMQ_INLINE void start(const struct window *w, int outputs, int32x4_t *acc) {
  const int32_t *bias = w->args.panel;
  const int32x4_t low = vld1q_s32(bias), high = vld1q_s32(bias + 4);
  UNROLL for (int i = 0; i < outputs; i++) acc[2 * i] = low, acc[2 * i + 1] = high;
}

// Computes `columns` columns from x on, making quads where they are used.
TVMQ_INLINE void direct_columns(const struct window *w, int out_rows, int columns, size_t x) {
  int32x4_t acc[4 * COLUMNS];
  start(w, out_rows * columns, acc);
  add_products_directly(w, out_rows, columns, x * w->args.stride_w, acc);
  store_by_path(w, out_rows, columns, acc, (size_t)columns, x);
}

// Computes a run of columns from `begin` to `end`. Makes all quads first, because each serves several kernel columns.
TVMQ_INLINE void run_of_columns(const struct window *w, int out_rows, size_t begin, size_t end) {
  const struct tvmq_depthwise_args *args = &w->args;
  struct quads kept[KEPT];
  const size_t n = (end - 1 - begin) * args->stride_w + args->filter_w;
  for (size_t g = 0; g < w->n_groups; g++) {
    const void *const *row[GROUP_ROWS];
    group_rows(w, g, row);
    make_quads(row, begin * args->stride_w, n, args->channel_offset, args->in_flip, kept + g, w->n_groups);
  }
  for (size_t x = begin; x < end; x += COLUMNS) {
    int32x4_t acc[4 * COLUMNS];
    start(w, out_rows * COLUMNS, acc);
    const struct quads *quads[COLUMNS];
    UNROLL for (size_t i = 0; i < COLUMNS; i++) quads[i] = kept + ((x + i < end ? x + i : end - 1) - begin) * args->stride_w * w->n_groups;
    add_products(w, out_rows, quads, acc);
    store_by_path(w, out_rows, COLUMNS, acc, end - x, x);
  }
}

static size_t groups_of(const struct tvmq_depthwise_args *args, int out_rows) {
  return ((size_t)(out_rows - 1) * args->stride_h + args->filter_h + GROUP_ROWS - 1) / GROUP_ROWS;
}

// Computes a tile of rows of one block.
TVMQ_INLINE void tile_of_rows(const struct window *w, int out_rows) {
  const struct tvmq_depthwise_args *args = &w->args;
  // Outputs of a run: whole tiles, as many as have room for their quads.
  const size_t room = KEPT / w->n_groups, run = room < args->filter_w ? 0 : ((room - args->filter_w) / args->stride_w + 1) / COLUMNS * COLUMNS;
  if (run > 0 && args->filter_w > args->stride_w && args->n_cols >= MIN_RUN) {
    for (size_t x = 0; x < args->n_cols; x += run) run_of_columns(w, out_rows, x, args->n_cols - x < run ? args->n_cols : x + run);
    return;
  }
  size_t x = 0;
  const size_t columns = COLUMNS / (size_t)out_rows;  // more columns have no registers for their quads
  for (; x + columns <= args->n_cols; x += columns) direct_columns(w, out_rows, COLUMNS / out_rows, x);
  for (; x < args->n_cols; x++) direct_columns(w, out_rows, 1, x);
}

// Computes a call; `groups` is the window's constant number of groups, or 0: any.
TVMQ_INLINE void depthwise(const struct tvmq_depthwise_args *args, int out_rows, size_t groups) {
  struct window w = {
      .args = *args,
      .n_rows = (size_t)(out_rows - 1) * args->stride_h + args->filter_h,
      .n_groups = groups > 0 ? groups : groups_of(args, out_rows),
      .weights = (const int8_t *)args->panel + NR * sizeof(int32_t),
  };
  w.plane_bytes = args->filter_w * w.n_groups * (size_t)out_rows * NR * GROUP_ROWS;
  w.params = (const int32_t *)(w.weights + args->n_planes * w.plane_bytes);
  for (size_t block = 0; block < args->n_blocks; block++) {
    w.path = tvmq_neon_general_panel_path(args->stage, w.params);
    for (size_t row = 0; row < args->n_rows; row = tvmq_next_tile(row, (size_t)out_rows, args->n_rows)) {
      w.args.pixels = args->pixels + row * args->stride_h * args->pixels_stride;
      w.args.out = (int8_t *)args->out + block * NR * tvmq_stored_bytes(args->stage) + row * args->out_row_stride;
      tile_of_rows(&w, out_rows);
    }
    w.args.channel_offset += NR;
    w.args.panel = (const char *)w.args.panel + args->panel_bytes;
    w.weights += args->panel_bytes;
    w.params = (const int32_t *)((const char *)w.params + args->panel_bytes);
  }
}

// Has specialized code for one and two groups.
TVMQ_INLINE void depthwise_by_groups(const struct tvmq_depthwise_args *args, int out_rows) {
  switch (groups_of(args, out_rows)) {
    case 1:
      depthwise(args, out_rows, 1);
      break;
    case 2:
      depthwise(args, out_rows, 2);
      break;
    default:
      depthwise(args, out_rows, 0);
      break;
  }
}

static __attribute__((noinline)) void single_rows(const struct tvmq_depthwise_args *args) { depthwise_by_groups(args, 1); }
static __attribute__((noinline)) void pairs_of_rows(const struct tvmq_depthwise_args *args) { depthwise_by_groups(args, 2); }

void tvmq_depthwise_s8_1x8v4__dotprod(const struct tvmq_depthwise_args *args) { single_rows(args); }

void tvmq_depthwise_s8_2x8v4s1__dotprod(const struct tvmq_depthwise_args *args) { pairs_of_rows(args); }

void tvmq_depthwise_s8_2x8v4s2__dotprod(const struct tvmq_depthwise_args *args) { pairs_of_rows(args); }

void tvmq_depthwise_s8_3x3_2x8v4s1__dotprod(const struct tvmq_depthwise_args *args) {
  if (!tvmq_depthwise_3x3_dotprod(args)) pairs_of_rows(args);
}

void tvmq_depthwise_s8_3x3_2x8v4s2__dotprod(const struct tvmq_depthwise_args *args) {
  if (!tvmq_depthwise_3x3_dotprod(args)) single_rows(args);
}
