// Convolutions with kernels that take pointers to the rows of A (conv_gemm.h). Two algorithms differ in how they pack
// rows. A table points to the pieces of each row in the input, or pieces are copied side by side ("im2col", rows.h) and
// widened for kernels with TVMQ_WIDE_ROWS. Both zip tiles of rows for kernels with TVMQ_ZIPPED_ROWS.
#include "cpu/ops/conv/conv_table.h"

#include <string.h>

#include "base/arith.h"
#include "cpu/ops/conv/conv_gemm.h"
#include "cpu/ops/conv/conv_rows.h"
#include "cpu/ops/moves/move.h"
#include "cpu/plan/select.h"

// ---- choose

// Estimates the cycles for all groups. c->cycles: the kernel's estimate for one group, including summing and zipping
// its rows. bring_cycles: all other packing of one group's rows.
static void estimate(struct tvmq_conv_choice *c, const struct tvmq_conv_problem *p, const struct tvmq_gemm_problem *gemm, float bring_cycles) {
  c->cycles = (c->cycles + bring_cycles) * (float)p->groups;
  c->bring_cycles = (bring_cycles + tvmq_gemm_row_cycles(c->variant, gemm)) * (float)p->groups;
}

static struct tvmq_conv_choice choose_table(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const size_t n_pieces = tvmq_rows_pieces(&rows), k = rows.piece_taps * (size_t)p->desc.filter_c;
  struct tvmq_gemm_problem gemm = tvmq_conv_gemm_problem(p, &tvmq_conv_by_table, target, n_pieces, k);
  gemm.exact_k = true;
  struct tvmq_conv_choice c = {.k = k, .n_taps = n_pieces, .copies = rows.piece_taps > 1};
  c.variant = tvmq_select_gemm(tvmq_conv_family(&tvmq_conv_by_table, p), &gemm, &c.cycles);
  if (!c.variant) return c;
  c.may_flip = p->groups == 1 && c.variant->layout.a_offset != 0 && tvmq_operand_flip(&p->quant, &c.variant->layout) != 0;
  estimate(&c, p, &gemm, tvmq_conv_table_cycles(p, env->machine));
  return c;
}

static struct tvmq_conv_choice choose_im2col(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const size_t n_pieces = tvmq_rows_pieces(&rows), k = n_pieces * rows.piece_taps * (size_t)p->desc.filter_c;
  const struct tvmq_gemm_problem gemm = tvmq_conv_gemm_problem(p, &tvmq_conv_by_im2col, target, 1, k);
  struct tvmq_conv_choice c = {.n_taps = 1};
  c.variant = tvmq_select_gemm(tvmq_conv_family(&tvmq_conv_by_im2col, p), &gemm, &c.cycles);
  if (!c.variant) return c;
  c.k = tvmq_round_up(k, c.variant->layout.ku);
  c.copies = !tvmq_conv_is_matrix(p) || c.k != k;
  float bring_cycles = (float)p->m * env->machine->list_cycles;
  if (c.copies) bring_cycles += tvmq_conv_im2col_cycles(p, env->machine);
  if (c.variant->flags & TVMQ_WIDE_ROWS) bring_cycles += (float)p->m * (float)c.k * env->machine->widened_byte_cycles;
  estimate(&c, p, &gemm, bring_cycles);
  return c;
}

static const char *name_table(const struct tvmq_conv *c) { return c->choice.n_taps == 1 ? "rows" : "row table"; }
static const char *name_im2col(const struct tvmq_conv *c) { return c->choice.copies ? "im2col" : "rows"; }

// ---- plan

static bool has_flag(const struct tvmq_conv *c, enum tvmq_variant_flags flag) { return (c->choice.variant->flags & flag) != 0; }
static bool has_flipped_copy(const struct tvmq_conv *c) { return c->choice.flip == TVMQ_FLIP_COPY; }

static struct tvmq_work work(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_env *env) {
  const struct tvmq_gemm_lines lines = tvmq_gemm_single_rows(p, c);
  struct tvmq_work work = tvmq_gemm_work(p, c, &lines, env);
  work.least = env->machine->gemm_least_tiles * c->variant->mr;
  work.most = env->machine->gemm_most_rows;
  work.row_bytes = c->n_taps * c->k * p->element_bytes;
  return work;
}

// Returns the most bytes of input that a block reads.
static size_t block_bytes(const struct tvmq_conv *c) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t rows = c->choice.blocks.rows;
  size_t most = 0;
  for (size_t first = 0; first < c->problem.m; first += rows) {
    const struct tvmq_pixel_range pixels = tvmq_rows_pixels(&g->rows, first, tvmq_min(c->problem.m - first, rows));
    most = pixels.end > pixels.begin + most ? pixels.end - pixels.begin : most;
  }
  return most * g->rows.pixel_bytes;
}

// Returns whether a flipped copy costs less. Kernels with an unsigned operand flip a signed one at each use.
static bool pays_flipping(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_machine *machine) {
  const struct tvmq_conv_desc *d = &p->desc;
  const size_t taps = (size_t)d->filter_h * (size_t)d->filter_w, step = (size_t)d->stride_h * (size_t)d->stride_w;
  return (float)(c->blocks.passing * taps) * machine->flipped_use_cycles >= machine->flipped_byte_cycles * (float)step;
}

static bool reserve(struct tvmq_conv *c, size_t n_lines, size_t n_rows, size_t *size) {
  struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const bool flips = has_flipped_copy(c);
  const size_t k = c->choice.k, n_taps = c->choice.n_taps;
  size_t pointers;
  (void)n_lines;
  return tvmq_mul_size(n_rows, n_taps, &pointers) && tvmq_scratch_append(size, pointers, sizeof(void *), &g->table) &&
         tvmq_scratch_append(size, c->choice.copies ? n_rows : 0, n_taps * k * c->problem.element_bytes, &g->copies) &&
         tvmq_scratch_append(size, has_flag(c, TVMQ_WIDE_ROWS) ? n_rows : 0, k * sizeof(int16_t), &g->wide) &&
         tvmq_scratch_append(size, flips ? block_bytes(c) : 0, 1, &g->flipped) && tvmq_scratch_append(size, flips ? k : 0, 1, &g->padding) &&
         tvmq_scratch_append(size, has_flag(c, TVMQ_ZIPPED_ROWS) ? n_rows : 0, n_taps * k, &g->zipped) &&
         tvmq_scratch_append(size, n_rows, sizeof(int32_t), &g->terms);
}

static bool reserve_table(struct tvmq_conv *c, size_t n_lines, size_t n_rows, size_t *size) {
  struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  g->fill_table = g->is_matrix ? NULL : tvmq_rows_table_for(c->choice.variant->mr);
  return reserve(c, n_lines, n_rows, size);
}

static bool reserve_im2col(struct tvmq_conv *c, size_t n_lines, size_t n_rows, size_t *size) {
  struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  g->copy_rows = g->is_matrix || !c->choice.copies ? NULL : tvmq_rows_im2col;
  return reserve(c, n_lines, n_rows, size);
}

// ---- run

// Returns the flip that rows in the table still need; rows that are widened or copied are flipped on the way.
static uint8_t table_flip(const struct tvmq_conv *c) {
  return has_flag(c, TVMQ_WIDE_ROWS) || has_flipped_copy(c) ? 0 : tvmq_operand_flip(&c->problem.quant, &c->choice.variant->layout);
}

// Returns the flip that the kernel applies.
static uint8_t kernel_flip(const struct tvmq_conv *c) { return has_flag(c, TVMQ_ZIPPED_ROWS) ? 0 : table_flip(c); }

// Packs rows by im2col: copies the rows unless they are contiguous in the input, then widens them for kernels with
// TVMQ_WIDE_ROWS.
static void bring_matrix(const struct tvmq_conv *c, const uint8_t *in, size_t first, size_t n, uint8_t *scratch) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t k = c->choice.k, row_bytes = k * c->problem.element_bytes, mr = c->choice.variant->mr;
  const void **table = (const void **)(scratch + g->table);
  const uint8_t *matrix = in + first * row_bytes;
  if (c->choice.copies) {
    uint8_t *const copies = scratch + g->copies;
    if (g->copy_rows == NULL)
      tvmq_move_rows(copies, (ptrdiff_t)row_bytes, in + first * g->rows.pixel_bytes, (ptrdiff_t)g->rows.pixel_bytes, g->rows.pixel_bytes, n);
    else
      g->copy_rows(&g->rows, in, first, n, copies, row_bytes);
    matrix = copies;
  }
  if (!has_flag(c, TVMQ_WIDE_ROWS)) {
    tvmq_rows_list(matrix, row_bytes, n, mr, table);
    return;
  }
  int16_t *wide = (int16_t *)(scratch + g->wide);
  tvmq_rows_widen(matrix, n * k, tvmq_operand_flip(&c->problem.quant, &c->choice.variant->layout), wide);
  tvmq_rows_list(wide, k * sizeof *wide, n, mr, table);
}

// Fills the table of rows [first, first + n). Rows that are contiguous in the input are listed.
static void fill_table(const struct tvmq_conv *c, const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, uint8_t *scratch) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t mr = c->choice.variant->mr;
  const void **table = (const void **)(scratch + g->table);
  if (g->fill_table == NULL)
    tvmq_rows_list((const void *)((uintptr_t)in + first * rows->pixel_bytes), rows->pixel_bytes, n, mr, table);
  else
    g->fill_table(rows, in, first, n, mr, scratch + g->copies, table);
}

// Makes a flipped copy of the input of rows [first, first + n), and fills the table with pointers to the copy.
static void bring_flipped(const struct tvmq_conv *c, const uint8_t *in, size_t first, size_t n, uint8_t *scratch) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const uint8_t flip = tvmq_operand_flip(&c->problem.quant, &c->choice.variant->layout);
  const struct tvmq_pixel_range pixels = tvmq_rows_pixels(&g->rows, first, n);
  uint8_t *const flipped = scratch + g->flipped, *const padding = scratch + g->padding;
  const size_t offset = pixels.begin * g->rows.pixel_bytes;
  tvmq_rows_flip(in + offset, (pixels.end - pixels.begin) * g->rows.pixel_bytes, flip, flipped);
  tvmq_rows_flip(c->padding, tvmq_rows_piece_bytes(&g->rows), flip, padding);
  struct tvmq_rows rows = g->rows;
  rows.padding = padding;
  const uint8_t *const start = (const uint8_t *)((uintptr_t)flipped - offset);  // address at which the first pixel of the input would be
  fill_table(c, &rows, start, first, n, scratch);
}

// Fills the table of rows [first, first + n) of the input, or of a flipped copy of it.
static void bring_table(const struct tvmq_conv *c, const uint8_t *in, size_t first, size_t n, uint8_t *scratch) {
  if (has_flipped_copy(c))
    bring_flipped(c, in, first, n, scratch);
  else
    fill_table(c, &tvmq_gemm_plan_of(c)->rows, in, first, n, scratch);
}

// Packs rows into the thread's scratch: `make` writes pointers and copies; then computes row terms and zips rows.
static size_t bring(const struct tvmq_gemm_block *b, bool are_there, struct tvmq_gemm_part parts[2],
                    void (*make)(const struct tvmq_conv *c, const uint8_t *in, size_t first, size_t n, uint8_t *scratch)) {
  const struct tvmq_conv *c = b->conv;
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const struct tvmq_variant *v = c->choice.variant;
  const size_t n = b->n_rows;
  const void **table = (const void **)(b->scratch + g->table);
  parts[0] = (struct tvmq_gemm_part){.n = n};
  if (are_there) return 1;
  make(c, b->in + b->group * g->rows.tap_bytes, b->first, n, b->scratch);
  // Terms are needed for every row of the table, since the last tile repeats rows.
  const size_t tiles = n <= v->mr ? 1 : tvmq_ceil_div(n, v->mr);
  tvmq_conv_row_terms(c, g->row_sums, (const void *const *)table, tiles * v->mr, table_flip(c), (int32_t *)(b->scratch + g->terms));
  if (has_flag(c, TVMQ_ZIPPED_ROWS)) tvmq_rows_zip(table, tiles, c->choice.n_taps, c->choice.k, table_flip(c), b->scratch + g->zipped);
  return 1;
}

static size_t bring_by_table(const struct tvmq_gemm_block *b, bool are_there, struct tvmq_gemm_part parts[2]) {
  return bring(b, are_there, parts, bring_table);
}

static size_t bring_by_im2col(const struct tvmq_gemm_block *b, bool are_there, struct tvmq_gemm_part parts[2]) {
  return bring(b, are_there, parts, bring_matrix);
}

// Returns the arguments that are equal in all calls of the kernel.
static struct tvmq_gemm_args args_of(const struct tvmq_conv *c, size_t out_stride) {
  return (struct tvmq_gemm_args){
      .n_taps = c->choice.n_taps,
      .k = c->choice.k,
      .no_row_terms = tvmq_gemm_plan_of(c)->row_sums == NULL,
      .in_flip = kernel_flip(c),
      .out_stride = out_stride,
      .stage = &c->stage,
  };
}

static void set_panel(const struct tvmq_conv *c, const uint8_t *panels, size_t p, struct tvmq_gemm_args *args) {
  args->panel = panels + p * c->choice.panel.size;
  args->panel_follows = p + 1 < c->choice.panels;
  args->wanted = tvmq_gemm_wanted(c, p + 1);
}

// Multiplies whole tiles, then the tile that ends with the last row.
static void multiply(const struct tvmq_gemm_block *b, const struct tvmq_gemm_part *part, size_t panel, size_t n_panels, uint8_t *out, size_t out_stride) {
  const struct tvmq_conv *c = b->conv;
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const struct tvmq_variant *v = c->choice.variant;
  const size_t mr = v->mr, tiles = part->n < mr ? 1 : part->n / mr, rows = tiles * mr;
  struct tvmq_gemm_args args = args_of(c, out_stride);
  const void *const *const table = (const void *const *)(b->scratch + g->table);
  const int32_t *const terms = (const int32_t *)(b->scratch + g->terms);
  for (size_t p = panel; p < panel + n_panels; p++, out += v->layout.nr * c->problem.stored_bytes) {
    set_panel(c, b->panels, p, &args);
    args.rows = table;
    args.row_terms = terms;
    args.row_tiles = tiles;
    args.out = out;
    v->fn.gemm(&args);
    if (part->n <= rows) continue;
    args.rows = table + rows * args.n_taps;
    args.row_terms = terms + rows;
    args.row_tiles = 1;
    args.out = out + (part->n - mr) * out_stride;
    v->fn.gemm(&args);
  }
}

// ---- run a single tile

enum { SINGLE_ROWS = 16 };

// Computes a convolution whose rows are pixels, with at most one tile of rows. Everything that a block otherwise finds
// out before multiplying is known here. If the tile extends past the output, results go through scratch.
void tvmq_conv_run_single(const struct tvmq_conv *c, const struct tvmq_pass *pass, struct tvmq_task task) {
  static const int32_t no_terms[SINGLE_ROWS];
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const struct tvmq_variant *v = c->choice.variant;
  const size_t m = c->problem.m, panels = c->choice.panels, panel_bytes = v->layout.nr * c->problem.stored_bytes;
  const size_t pixel = g->rows.pixel_bytes, row_bytes = c->choice.k * c->problem.element_bytes;
  const size_t line = c->problem.group_n * c->problem.stored_bytes, wide_line = panels * panel_bytes;
  uint8_t *const scratch = tvmq_conv_scratch(c, task.thread);
  const void *rows[SINGLE_ROWS], *in = pass->in[0];
  if (row_bytes != pixel) {
    in = scratch + g->copies;
    tvmq_move_rows(scratch + g->copies, (ptrdiff_t)row_bytes, pass->in[0], (ptrdiff_t)pixel, pixel, m);
  }
  tvmq_rows_list(in, row_bytes, m, v->mr, rows);

  const bool overhangs = m < v->mr || (line < wide_line && !has_flag(c, TVMQ_NARROW));
  uint8_t *out = overhangs ? scratch + g->tile : pass->outs[0];
  struct tvmq_gemm_args args = args_of(c, overhangs ? wide_line : line);
  args.rows = rows;
  args.row_terms = no_terms;
  args.row_tiles = 1;
  for (size_t p = 0; p < panels; p++, out += panel_bytes) {
    set_panel(c, c->packed, p, &args);
    args.out = out;
    v->fn.gemm(&args);
  }
  if (overhangs) tvmq_move_rows(pass->outs[0], (ptrdiff_t)line, scratch + g->tile, (ptrdiff_t)wide_line, line, m);
  tvmq_run_epilogue(pass, 0, m, 0, c->problem.group_n);
}

static tvmq_conv_run_fn find_single(const struct tvmq_conv *c) {
  const bool in_place = tvmq_gemm_plan_of(c)->is_matrix && !has_flag(c, TVMQ_WIDE_ROWS) && !has_flag(c, TVMQ_ZIPPED_ROWS) && !has_flipped_copy(c);
  return in_place && tvmq_gemm_plan_of(c)->row_sums == NULL && c->choice.variant->mr <= SINGLE_ROWS ? tvmq_conv_run_single : NULL;
}

#define SOURCE(WAY) \
  {.bring = bring_by_##WAY, .multiply = multiply, TVMQ_PLANNING(.lines = tvmq_gemm_single_rows, .reserve = reserve_##WAY, .find_single = find_single)}
static const struct tvmq_gemm_source by_table = SOURCE(table), by_im2col = SOURCE(im2col);

const struct tvmq_conv_algorithm tvmq_conv_by_table = {
    .method = &tvmq_gemm_method,
    .source = &by_table,
    // A table points to rows in the input.
    TVMQ_PLANNING(.id = TVMQ_ALGORITHM_ROW_TABLE, .family = TVMQ_FAMILY_GEMM_S8, .family_s16 = TVMQ_FAMILY_GEMM_S16,
                  .excluded = TVMQ_WIDE_ROWS | TVMQ_MATRIX_ROWS, .choose = choose_table, .work = work, .pays_flipping = pays_flipping, .name = name_table)};
const struct tvmq_conv_algorithm tvmq_conv_by_im2col = {
    .method = &tvmq_gemm_method,
    .source = &by_im2col,
    TVMQ_PLANNING(.id = TVMQ_ALGORITHM_IM2COL, .family = TVMQ_FAMILY_GEMM_S8, .family_s16 = TVMQ_FAMILY_GEMM_S16, .excluded = TVMQ_MATRIX_ROWS,
                  .choose = choose_im2col, .work = work, .name = name_im2col)};
