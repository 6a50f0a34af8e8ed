// gemm, int8 and 16x8.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "layer.h"
#include "support/oracle.h"

enum { MAX_TILES = 5, MAX_LINES = 3, MAX_PANELS = 3, MAX_DEPTH = 2048, MAX_STRIDE = 200, MAX_MATRIX = (LAYER_POOL - 1) * MAX_STRIDE + MAX_DEPTH };

struct shape {
  size_t n, row_tiles, n_taps, depth;  // valid channels, tiles, taps, depths of a tap without padding
  bool stage_only;                     // no weights: random accumulators by bias and row terms
};

static int32_t values[LAYER_POOL * MAX_DEPTH];
static int32_t gathered[LAYER_MAX_WEIGHTS];

// Sums of every row, from the rows that the table points at; and what the row owes for a filter zero point.
static void sum_rows(struct layer *layer, const uint8_t *picks, const struct shape *shape, size_t k, int32_t *row_terms) {
  const size_t mr = layer->variant->mr, per_channel = shape->n_taps * shape->depth;
  // Weights of two bytes have the filter zero point subtracted.
  const int32_t repaid = layer->variant->layout.weight_bytes == 1 ? layer->filter_zero_point : 0;
  for (size_t row = 0; row < layer->n_rows; row++) {
    int64_t operands = 0;
    for (size_t t = 0; t < shape->n_taps; t++) {
      const int32_t *x = values + picks[(row / mr * shape->n_taps + t) * mr + row % mr] * k;
      for (size_t d = 0; d < shape->depth; d++) {
        gathered[t * shape->depth + d] = x[d];
        operands += x[d] + layer_operand_offset(layer);
      }
    }
    row_terms[row] = oracle_wrap(-repaid * operands);
    for (size_t n = 0; n < layer->n; n++) layer->sums[row * layer->n + n] = oracle_dot(gathered, layer->weights + n * per_channel, per_channel);
  }
}

// Row terms of any size, most of them near one another, so that a channel's bias puts many rows on or beside a tie.
static void draw_accumulators(struct layer *layer, int32_t *row_terms) {
  const int64_t spread = INT64_C(1) << check_below(check_one_in(4) ? 31 : 12);
  for (size_t row = 0; row < layer->n_rows; row++) {
    row_terms[row] = (int32_t)check_between(-spread, spread - 1);
    for (size_t n = 0; n < layer->n; n++) layer->sums[row * layer->n + n] = row_terms[row];
  }
}

// Packs the layer's channels into panels of panel_bytes bytes.
static const void *pack(const struct layer *layer, size_t padded_depth, enum guard_side side, size_t *panel_bytes) {
  const struct tvmq_layout *layout = &layer->variant->layout;
  struct tvmq_channel channels[LAYER_MAX_CHANNELS];
  struct tvmq_channel_params params[LAYER_MAX_CHANNELS];
  layer_channels(layer, channels, params);
  struct tvmq_panel parts;
  if (!tvmq_panel_layout(layout, padded_depth, &parts)) check_fail("the panel's size does not fit");
  void *written;
  const void *panels = layer_panel(layer_padded_n(layer) / layout->nr * parts.size, side, &written);
  for (size_t n = 0; n < layer->n; n += layout->nr) {
    const size_t left = layer->n - n;
    tvmq_pack_panel(layout, channels + n, params + n, left < layout->nr ? left : layout->nr, (char *)written + n / layout->nr * parts.size);
  }
  *panel_bytes = parts.size;
  return panels;
}

// The slot of each row of each tap, in a table's order. Slots lie a constant distance apart, as a matrix's rows do.
static void pick_rows(const struct tvmq_variant *variant, const struct shape *shape, size_t n_rows, uint8_t *picks) {
  const size_t mr = variant->mr;
  for (size_t t = 0; t < shape->n_taps; t++) {
    const size_t first = variant->flags & TVMQ_MATRIX_ROWS ? check_below((uint32_t)(LAYER_POOL - n_rows + 1)) : 0;
    for (size_t m = 0; m < n_rows; m++) {
      uint8_t *pick = &picks[(m / mr * shape->n_taps + t) * mr + m % mr];
      *pick = (uint8_t)(variant->flags & TVMQ_MATRIX_ROWS ? first + m : check_below(LAYER_POOL));
    }
  }
}

// Activations, k a row: rows lie `stride` bytes apart from `first` on.
struct rows {
  const char *first;
  size_t stride;
};

// Each in a slot of its own.
static struct rows draw_slots(const struct layer *layer, size_t k, enum guard_side side) {
  static struct guard pool;
  if (!pool.first) pool = guard_create(LAYER_POOL, MAX_DEPTH * sizeof(int16_t), GUARD_READ_ONLY);
  layer_draw_pool(layer, &pool, k, side, values);
  return (struct rows){guard_at(&pool, 0, k * layer->operand, side), pool.pitch};
}

// So close to each other that they overlap, as the pixels of an image do of which a tap reads some side by side.
static struct rows draw_matrix(const struct layer *layer, size_t k, enum guard_side side) {
  static struct guard matrix;
  static int32_t all[MAX_MATRIX];
  if (!matrix.first) matrix = guard_create(1, MAX_MATRIX, GUARD_READ_ONLY);
  const size_t stride = 1 + check_below(MAX_STRIDE), size = (LAYER_POOL - 1) * stride + k;
  layer_draw_pool(layer, &matrix, size, side, all);
  for (size_t row = 0; row < LAYER_POOL; row++) memcpy(values + row * k, all + row * stride, k * sizeof *values);
  return (struct rows){guard_at(&matrix, 0, size, side), stride};
}

// Zips the tiles of a table byte by byte, each in a slot of its own; of its pointers the first is left.
static void zip(const struct guard *tiles, enum guard_side side, const struct shape *shape, size_t mr, size_t k, const void **rows) {
  enum { DEPTHS = 8 };
  for (size_t i = 0; i < shape->row_tiles; i++, rows += shape->n_taps * mr) {
    const void *tile = guard_at(tiles, i, shape->n_taps * k * mr, side);
    uint8_t *to = guard_writable(tiles, tile);
    for (size_t j = 0; j < shape->n_taps * k * mr; j++) {
      const size_t depth = j / (mr * DEPTHS) * DEPTHS + j % DEPTHS, row = j / DEPTHS % mr;
      to[j] = ((const uint8_t *)rows[depth / k * mr + row])[depth % k];
    }
    for (size_t j = 0; j < shape->n_taps * mr; j++) rows[j] = j == 0 ? tile : NULL;
  }
}

// Lines of rows for kernels that drop what lies between; a pitch of 0 for others, and sometimes.
struct gaps {
  size_t pitch, line_rows;
};

static struct gaps draw_gaps(const struct tvmq_variant *variant, size_t n_rows) {
  const bool draws = (variant->flags & TVMQ_GAPS) != 0 && check_one_in(2);
  for (int i = 0; draws && i < 8; i++) {
    const size_t pitch = 1 + check_below((uint32_t)n_rows), line_rows = (n_rows - 1) % pitch + 1;
    if (pitch <= 2 * line_rows) return (struct gaps){pitch, line_rows};
  }
  return (struct gaps){0};
}

// Leaves the rows that are wanted.
static void drop_gaps(struct layer *layer, const struct gaps *gaps) {
  if (gaps->pitch == 0) return;
  size_t n = 0;
  for (size_t row = 0; row < layer->n_rows; row++) {
    if (row % gaps->pitch >= gaps->line_rows) continue;
    memmove(layer->sums + n * layer->n, layer->sums + row * layer->n, layer->n * sizeof *layer->sums);
    n++;
  }
  layer->n_rows = n;
}

static void check_shape(const struct tvmq_variant *variant, const struct shape *shape) {
  static struct guard table, terms, tiles;
  if (!table.first) {
    table = guard_create(1, 1 << 17, GUARD_READ_ONLY);
    terms = guard_create(1, 1 << 12, GUARD_READ_ONLY);
    tiles = guard_create(MAX_TILES, 8 * MAX_DEPTH, GUARD_READ_ONLY);
  }
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const size_t ku = variant->layout.ku, nr = variant->layout.nr;
  const bool is_matrix = (variant->flags & TVMQ_MATRIX_ROWS) != 0;
  struct layer layer;
  layer_draw(&layer, variant, shape->n, shape->n_taps, shape->depth, shape->stage_only);
  const size_t overlap = is_matrix && shape->row_tiles > 1 ? check_below(variant->mr) : 0;
  const size_t line_rows = shape->row_tiles * variant->mr - overlap, most_lines = tvmq_min(MAX_LINES, MAX_TILES * variant->mr / line_rows);
  const size_t n_lines = (variant->flags & TVMQ_LINES) != 0 ? 1 + check_below((uint32_t)most_lines) : 1;
  layer.n_rows = n_lines * line_rows;
  layer.n_cols = 1;
  const size_t wanted = check_one_in(4) ? nr : (layer.n - 1) % nr + 1;
  if ((variant->flags & TVMQ_NARROW) != 0) layer.stored_n -= nr - wanted;
  layer.row_stride = (layer.stored_n + (check_one_in(2) ? 0 : check_below(40))) * layer.stored;

  const size_t k = (shape->depth + ku - 1) / ku * ku;
  const struct rows drawn = is_matrix && check_one_in(2) ? draw_matrix(&layer, k, side) : draw_slots(&layer, k, side);
  const size_t n_pointers = is_matrix ? shape->n_taps : layer.n_rows * shape->n_taps;
  const void **rows = guard_at(&table, 0, n_pointers * sizeof *rows, side);
  const void **rows_written = guard_writable(&table, rows);
  static uint8_t picks[1 << 14];
  pick_rows(variant, shape, layer.n_rows, picks);
  for (size_t i = 0; i < n_pointers; i++) {
    const size_t pick = is_matrix ? i * variant->mr : i;  // the tap's first row in the first tile
    rows_written[i] = drawn.first + picks[pick] * drawn.stride;
  }
  if (variant->flags & TVMQ_ZIPPED_ROWS) zip(&tiles, side, shape, variant->mr, k, rows_written);
  int32_t *row_terms = guard_at(&terms, 0, layer.n_rows * sizeof *row_terms, side);
  if (shape->stage_only) {
    draw_accumulators(&layer, guard_writable(&terms, row_terms));
  } else {
    sum_rows(&layer, picks, shape, k, guard_writable(&terms, row_terms));
  }
  const struct gaps gaps = draw_gaps(variant, layer.n_rows);
  drop_gaps(&layer, &gaps);
  layer_draw_stage(&layer);

  const bool may_have_none = !shape->stage_only && (layer.filter_zero_point == 0 || variant->layout.weight_bytes > 1);
  const bool has_none = may_have_none && check_one_in(2);
  size_t panel_bytes;
  const void *const panels = pack(&layer, shape->n_taps * k, side, &panel_bytes);
  const struct tvmq_gemm_args args = {
      .rows = rows,
      .row_stride = drawn.stride,
      .row_tiles = shape->row_tiles,
      .overlap = overlap,
      .n_taps = shape->n_taps,
      .k = k,
      .panel = panels,
      .wanted = wanted,
      .n_panels = layer_padded_n(&layer) / nr,
      .panel_bytes = panel_bytes,
      .n_lines = n_lines,
      .line_stride = line_rows * drawn.stride,
      .out_line_stride = line_rows * layer.row_stride,
      .pitch = gaps.pitch,
      .line_rows = gaps.line_rows,
      .row_terms = has_none && is_matrix ? NULL : row_terms,
      .no_row_terms = has_none,
      .out = layer_out(&layer, side),
      .out_stride = layer.row_stride,
      .in_flip = layer_kernel_flip(&layer),
      .stage = &layer.stage,
  };
  check_case("row_tiles %zu, %zu bytes a row, overlap %zu, lines %zu, pitch %zu of %zu, taps %zu, k %zu of %zu%s, out_stride %zu, %s", shape->row_tiles,
             drawn.stride, overlap, n_lines, gaps.line_rows, gaps.pitch, shape->n_taps, shape->depth, k, shape->stage_only ? " (stage only)" : "",
             layer.row_stride, layer_text(&layer));
  CHECK_CALL(variant->fn.gemm, &args);
  layer_compare(&layer);
}

static void check(const struct tvmq_variant *variant) {
  const size_t nr = variant->layout.nr, ku = variant->layout.ku;
  const size_t residues = 2 * ku < 17 ? 17 : 2 * ku + 1, most_n = variant->flags & TVMQ_MATRIX_ROWS ? MAX_PANELS * nr : nr;
  // Every residue of k with every number of taps, so that each unrolled loop ends everywhere.
  for (size_t depth = 1; depth <= residues; depth++) {
    for (size_t taps = 1; taps <= 9; taps++) {
      check_shape(variant, &(struct shape){.n = 1 + check_below((uint32_t)most_n), .row_tiles = 1 + check_below(MAX_TILES), .n_taps = taps, .depth = depth});
    }
  }
  for (size_t n = 1; n <= most_n; n++) {
    check_shape(variant, &(struct shape){.n = n, .row_tiles = 1 + n % MAX_TILES, .n_taps = 1 + check_below(3), .depth = 1 + check_below(40)});
  }
  // Long sums, where a narrow accumulator or a saturating product shows.
  for (size_t i = 0; i < (check_quick ? 20 : 60); i++) {
    const size_t max_depth = MAX_DEPTH / 2 / ku * ku, taps = 1 + check_below(3);
    check_shape(variant, &(struct shape){.n = nr, .row_tiles = 1, .n_taps = taps, .depth = 1 + check_below((uint32_t)(max_depth / taps))});
  }
  // The output stage over accumulators of every size.
  for (size_t i = 0; i < (check_quick ? 1000 : 6000); i++) {
    const size_t n = i % 8 == 0 ? most_n : i % 8 == 1 ? 1 + check_below((uint32_t)nr) : nr;
    check_shape(variant, &(struct shape){.n = n, .row_tiles = 1 + check_below(MAX_TILES), .n_taps = 1, .depth = 1, .stage_only = true});
  }
}

// ---- bench: whole problems, all panels and row tiles
struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_gemm_args args;
  size_t n_panels, panel_bytes, n_bytes;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  struct tvmq_gemm_args args = p->args;
  if (p->variant->flags & TVMQ_MATRIX_ROWS) {
    args.n_panels = p->n_panels;
    p->variant->fn.gemm(&args);
    return;
  }
  for (size_t i = 0; i < p->n_panels; i++) {
    p->variant->fn.gemm(&args);
    args.panel = (const char *)args.panel + p->panel_bytes;
    args.out = (char *)args.out + p->n_bytes;
  }
}

static void bench(const struct tvmq_variant *variant) {
  // Rows, channels, taps and depth: pointwise layers of MobileNets from thin to thick, a first layer, 3x3 of a residual network, a last one; heads
  // of classifiers.
  static const struct {
    size_t m, n, taps, k;
  } shapes[] = {{48, 96, 1, 16}, {48, 144, 1, 24},  {48, 64, 1, 32},   {48, 64, 1, 64},   {48, 32, 1, 192}, {48, 96, 1, 576}, {48, 32, 1, 27},
                {48, 64, 9, 64}, {48, 128, 9, 128}, {49, 320, 1, 960}, {1, 512, 1, 1024}, {1, 96, 1, 576},  {2, 256, 1, 512}, {3, 160, 1, 960}};
  static _Alignas(64) uint8_t panels[1 << 20], in[1 << 18], out[1 << 17];
  static const void *rows[1 << 12];
  static const int32_t row_terms[128];
  const struct tvmq_layout *layout = &variant->layout;
  const bool s16 = variant->family == TVMQ_FAMILY_GEMM_S16;
  const size_t element = s16 ? 2 : 1, operand = variant->flags & TVMQ_WIDE_ROWS ? 2 : element;
  const struct tvmq_stage stage = {.right_shifts = true,
                                   .headroom = true,
                                   .fits_int16 = !s16,
                                   .zero_point = s16 ? 0 : INT8_MIN,
                                   .min = s16 ? INT16_MIN : INT8_MIN,
                                   .max = s16 ? INT16_MAX : INT8_MAX};
  check_random_bytes(in, sizeof in);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    const bool is_matrix = (variant->flags & TVMQ_MATRIX_ROWS) != 0, is_zipped = (variant->flags & TVMQ_ZIPPED_ROWS) != 0;
    const size_t m = shapes[i].m, n = shapes[i].n, taps = shapes[i].taps, depths = shapes[i].k;
    const size_t k = (depths + layout->ku - 1) / layout->ku * layout->ku, row_tiles = (m + variant->mr - 1) / variant->mr;
    struct problem p = {.variant = variant, .n_panels = (n + layout->nr - 1) / layout->nr, .n_bytes = layout->nr * element};
    struct tvmq_panel parts;
    tvmq_panel_layout(layout, taps * k, &parts);
    p.panel_bytes = parts.size;
    const size_t n_rows = row_tiles * variant->mr, out_stride = p.n_panels * p.n_bytes;
    if (p.n_panels * parts.size > sizeof panels || n_rows * out_stride > sizeof out || n_rows * taps > sizeof rows / sizeof rows[0]) continue;
    // As in a convolution, taps share rows: row r of tap t is pixel r + t.
    for (size_t j = 0; j < (is_matrix ? taps : n_rows * taps); j++) {
      const size_t row = is_matrix ? 0 : j / (taps * variant->mr) * variant->mr + j % variant->mr, tap = is_matrix ? j : j / variant->mr % taps;
      rows[j] = in + (row + tap) * k * operand % (sizeof in - (is_zipped ? variant->mr * taps * k : k * operand));
    }
    check_bench_panels(variant, &parts, p.n_panels, panels);
    p.args = (struct tvmq_gemm_args){.rows = rows,
                                     .row_stride = k * operand,
                                     .row_tiles = row_tiles,
                                     .n_taps = taps,
                                     .k = k,
                                     .panel = panels,
                                     .wanted = layout->nr,
                                     .n_panels = 1,
                                     .panel_bytes = parts.size,
                                     .n_lines = 1,
                                     .row_terms = is_matrix ? NULL : row_terms,
                                     .no_row_terms = true,
                                     .out = out,
                                     .out_stride = out_stride,
                                     .stage = &stage};
    char shape[40];
    snprintf(shape, sizeof shape, "m %zu n %zu k %zu x %zu", m, n, shapes[i].taps, shapes[i].k);
    check_bench(variant, shape, (double)m * n * taps * depths, run_problem, &p);
  }
}

const struct check_family check_gemm = {check, bench};
