// Convolutions as a gemm per group. Rows of A are output pixels, columns of B output channels; the threads share blocks of rows x panels.
//
// Two ways differ in how rows come to the kernel: a table points at the pieces of each row where they lie in the input, or the pieces are copied side by side
// ("im2col", rows.h), and widened for kernels that want it. From either, tiles of rows are zipped for kernels that want that.
#include "ops/conv/conv_gemm.h"

#include <string.h>

#include "base/arith.h"
#include "ops/conv/conv_rows.h"
#include "ops/pixels.h"
#include "plan/select.h"

struct gemm {
  struct tvmq_rows rows;
  const struct tvmq_variant *row_sums;  // NULL: no row terms
  struct {
    size_t table, copies, wide, flipped, padding, terms, zipped, tile;  // byte offsets in a thread's scratch
  } slice;
};
static struct gemm *gemm_of(const struct tvmq_conv *c) { return c->plan; }

// ---- choose

static enum tvmq_family family_of(const struct tvmq_conv_problem *p) { return p->desc.in_type == TVMQ_TYPE_S16 ? TVMQ_FAMILY_GEMM_S16 : TVMQ_FAMILY_GEMM_S8; }

// The estimate for all groups, from the kernel's for one, which counts what it takes to sum and to zip its rows, and from what else it takes to bring these.
static void estimate(struct tvmq_conv_choice *c, const struct tvmq_conv_problem *p, const struct tvmq_gemm_problem *gemm, float bring_cycles) {
  c->cycles = (c->cycles + bring_cycles) * (float)p->groups;
  c->bring_cycles = (bring_cycles + tvmq_gemm_row_cycles(c->variant, gemm)) * (float)p->groups;
}

static struct tvmq_conv_choice choose_table(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const size_t n_pieces = tvmq_rows_pieces(&rows), k = rows.piece_taps * (size_t)p->desc.filter_c;
  struct tvmq_gemm_problem gemm = tvmq_conv_gemm_problem(p, target, n_pieces, k);
  gemm.exact_k = true;
  gemm.excluded |= TVMQ_WIDE_ROWS | TVMQ_MATRIX_ROWS;  // those of a table lie where they are in the input
  struct tvmq_conv_choice c = {.k = k, .n_taps = n_pieces, .copies = rows.piece_taps > 1};
  c.variant = tvmq_select_gemm(family_of(p), &gemm, &c.cycles);
  if (!c.variant) return c;
  c.may_flip = p->groups == 1 && c.variant->layout.a_offset != 0 && tvmq_operand_flip(&p->quant, &c.variant->layout) != 0;
  estimate(&c, p, &gemm, (float)p->m * (float)n_pieces * env->machine->pointer_cycles);
  return c;
}

static struct tvmq_conv_choice choose_im2col(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const size_t n_pieces = tvmq_rows_pieces(&rows), k = n_pieces * rows.piece_taps * (size_t)p->desc.filter_c;
  struct tvmq_gemm_problem gemm = tvmq_conv_gemm_problem(p, target, 1, k);
  gemm.excluded |= TVMQ_MATRIX_ROWS;
  struct tvmq_conv_choice c = {.n_taps = 1};
  c.variant = tvmq_select_gemm(family_of(p), &gemm, &c.cycles);
  if (!c.variant) return c;
  c.k = tvmq_round_up(k, c.variant->layout.ku);
  c.copies = !tvmq_conv_is_matrix(p) || c.k != k;
  float bring_cycles = (float)p->m * env->machine->pointer_cycles;
  if (c.copies) bring_cycles += tvmq_conv_copy_cycles(p->m * n_pieces, p->m * k, env->machine);
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
  const struct tvmq_conv_desc *d = &p->desc;
  const size_t in_bytes = (size_t)d->batch * (size_t)d->in_h * (size_t)d->in_w * (size_t)d->in_c * p->element_bytes;
  return (struct tvmq_work){
      .parts = p->groups,
      .m = p->m,
      .pitch = 1,
      .mr = c->variant->mr,
      .least = env->machine->gemm.least_tiles * c->variant->mr,
      .most = env->machine->gemm.most_rows,
      .cache_bytes = env->machine->block_bytes,
      .row_bytes = c->n_taps * c->k * p->element_bytes,
      .panels = c->panels,
      .panel_bytes = c->panel.size,
      .in_bytes = in_bytes / (p->groups * p->m),
      .out_bytes = p->group_n * p->element_bytes,
      .pixel_bytes = (size_t)d->out_c * p->element_bytes,
      .panel_pixel_bytes = c->variant->layout.nr * p->element_bytes,
      .cycles = c->cycles,
      .bring_cycles = c->bring_cycles,
  };
}

// Bytes of input that a block reads, at most.
static size_t block_bytes(const struct tvmq_conv *c) {
  const struct gemm *g = gemm_of(c);
  const size_t rows = c->choice.blocks.rows;
  size_t most = 0;
  for (size_t first = 0; first < c->problem.m; first += rows) {
    const struct tvmq_pixel_range pixels = tvmq_rows_pixels(&g->rows, first, tvmq_min(c->problem.m - first, rows));
    most = pixels.end > pixels.begin + most ? pixels.end - pixels.begin : most;
  }
  return most * g->rows.pixel_bytes;
}

// Kernels with an unsigned operand flip a signed one at each use; from some uses on a flipped copy costs less.
static bool pays_flipping(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_machine *machine) {
  const struct tvmq_conv_desc *d = &p->desc;
  const size_t taps = (size_t)d->filter_h * (size_t)d->filter_w, step = (size_t)d->stride_h * (size_t)d->stride_w;
  return (float)(c->blocks.passing * taps) >= machine->flip_uses * (float)step;
}

static const char *set_scratch(struct tvmq_conv *c) {
  const struct tvmq_variant *v = c->choice.variant;
  const bool flips = has_flipped_copy(c);
  const size_t rows = c->choice.blocks.rows, k = c->choice.k, element = c->problem.element_bytes;
  struct gemm *g = gemm_of(c);
  size_t pointers, size = 0;
  if (!tvmq_mul_size(rows, c->choice.n_taps, &pointers) || !tvmq_scratch_append(&size, pointers, sizeof(void *), &g->slice.table) ||
      !tvmq_scratch_append(&size, c->choice.copies ? rows : 0, c->choice.n_taps * k * element, &g->slice.copies) ||
      !tvmq_scratch_append(&size, has_flag(c, TVMQ_WIDE_ROWS) ? rows : 0, k * sizeof(int16_t), &g->slice.wide) ||
      !tvmq_scratch_append(&size, flips ? block_bytes(c) : 0, 1, &g->slice.flipped) || !tvmq_scratch_append(&size, flips ? k : 0, 1, &g->slice.padding) ||
      !tvmq_scratch_append(&size, has_flag(c, TVMQ_ZIPPED_ROWS) ? rows : 0, c->choice.n_taps * k, &g->slice.zipped) ||
      !tvmq_scratch_append(&size, rows, sizeof(int32_t), &g->slice.terms) || !tvmq_scratch_append(&size, rows, v->layout.nr * element, &g->slice.tile))
    return "scratch exceeds the address space";
  c->slice_bytes = size;
  return NULL;
}

static const char *plan(struct tvmq_conv *c, const struct tvmq_env *env) {
  struct gemm *g = gemm_of(c);
  g->row_sums = tvmq_conv_row_sums(c, env);
  g->rows = tvmq_conv_rows(&c->problem);
  g->rows.padding = c->padding;
  return set_scratch(c);
}

// ---- run

// What is left to flip of the rows in the table: those that are widened or copied are flipped on the way.
static uint8_t table_flip(const struct tvmq_conv *c) {
  return has_flag(c, TVMQ_WIDE_ROWS) || has_flipped_copy(c) ? 0 : tvmq_operand_flip(&c->problem.quant, &c->choice.variant->layout);
}

// What is left for the kernel to flip.
static uint8_t kernel_flip(const struct tvmq_conv *c) { return has_flag(c, TVMQ_ZIPPED_ROWS) ? 0 : table_flip(c); }

// Rows of im2col: copied unless they lie there already, then widened for kernels that want it.
static void bring_matrix(const struct tvmq_conv *c, const uint8_t *in, size_t first, size_t n, uint8_t *scratch) {
  const struct gemm *g = gemm_of(c);
  const size_t k = c->choice.k, row_bytes = k * c->problem.element_bytes, mr = c->choice.variant->mr;
  const void **table = (const void **)(scratch + g->slice.table);
  const uint8_t *matrix = in + first * row_bytes;
  if (c->choice.copies) {
    tvmq_rows_im2col(&g->rows, in, first, n, scratch + g->slice.copies, row_bytes);
    matrix = scratch + g->slice.copies;
  }
  if (!has_flag(c, TVMQ_WIDE_ROWS)) {
    tvmq_rows_list(matrix, row_bytes, n, mr, table);
    return;
  }
  int16_t *wide = (int16_t *)(scratch + g->slice.wide);
  tvmq_rows_widen(matrix, n * k, tvmq_operand_flip(&c->problem.quant, &c->choice.variant->layout), wide);
  tvmq_rows_list(wide, k * sizeof *wide, n, mr, table);
}

// The table of rows [first, first + n) in a flipped copy of what they read of the input.
static void bring_flipped(const struct tvmq_conv *c, const uint8_t *in, size_t first, size_t n, uint8_t *scratch, const void **table) {
  const struct gemm *g = gemm_of(c);
  const uint8_t flip = tvmq_operand_flip(&c->problem.quant, &c->choice.variant->layout);
  const struct tvmq_pixel_range pixels = tvmq_rows_pixels(&g->rows, first, n);
  uint8_t *const flipped = scratch + g->slice.flipped, *const padding = scratch + g->slice.padding;
  const size_t offset = pixels.begin * g->rows.pixel_bytes;
  tvmq_rows_flip(in + offset, (pixels.end - pixels.begin) * g->rows.pixel_bytes, flip, flipped);
  tvmq_rows_flip(c->padding, tvmq_rows_piece_bytes(&g->rows), flip, padding);
  struct tvmq_rows rows = g->rows;
  rows.padding = padding;
  const uint8_t *const start = (const uint8_t *)((uintptr_t)flipped - offset);  // where the first pixel of all would be
  tvmq_rows_table(&rows, start, first, n, c->choice.variant->mr, scratch + g->slice.copies, table);
}

// Rows [first, first + n) of one group: pointers, copies, row terms and zipped rows into the thread's scratch.
static void bring_rows(const struct tvmq_conv *c, const uint8_t *in, size_t first, size_t n, uint8_t *scratch) {
  const struct gemm *g = gemm_of(c);
  const struct tvmq_variant *v = c->choice.variant;
  const void **table = (const void **)(scratch + g->slice.table);
  if (c->choice.way->id == TVMQ_WAY_IM2COL)
    bring_matrix(c, in, first, n, scratch);
  else if (has_flipped_copy(c))
    bring_flipped(c, in, first, n, scratch, table);
  else
    tvmq_rows_table(&g->rows, in, first, n, v->mr, scratch + g->slice.copies, table);
  // Those of all places in the table: its last tile is not made of the last rows alone.
  tvmq_conv_row_terms(c, g->row_sums, (const void *const *)table, tvmq_round_up(n, v->mr), table_flip(c), (int32_t *)(scratch + g->slice.terms));
  if (has_flag(c, TVMQ_ZIPPED_ROWS)) tvmq_rows_zip(table, tvmq_ceil_div(n, v->mr), c->choice.n_taps, c->choice.k, table_flip(c), scratch + g->slice.zipped);
}

static void multiply(const struct tvmq_variant *v, struct tvmq_gemm_args *args, const void *const *rows, const int32_t *terms, size_t tiles, void *out,
                     size_t out_stride) {
  args->rows = rows;
  args->row_terms = terms;
  args->row_tiles = tiles;
  args->out = out;
  args->out_stride = out_stride;
  v->fn.gemm(args);
}

static size_t n_tasks(const struct tvmq_conv *c, size_t pass) {
  return pass > 0 ? 0 : c->problem.groups * c->choice.blocks.m_blocks * c->choice.blocks.n_blocks;
}

static void run_task(const struct tvmq_conv *c, const struct tvmq_pass *pass, struct tvmq_task block) {
  const struct gemm *g = gemm_of(c);
  const struct tvmq_variant *v = c->choice.variant;
  const size_t mr = v->mr, nr = v->layout.nr, bytes = c->problem.element_bytes, group_n = c->problem.group_n;
  uint8_t *scratch = tvmq_conv_scratch(c, block.thread);
  uint8_t *tile = scratch + g->slice.tile;

  const struct tvmq_blocks *b = &c->choice.blocks;
  const size_t n_block = block.index % b->n_blocks, m_blocks = block.index / b->n_blocks, m_block = m_blocks % b->m_blocks, group = m_blocks / b->m_blocks;
  const size_t first = m_block * b->rows;
  const size_t n_rows = tvmq_min(c->problem.m - first, b->rows);
  const size_t end_panel = tvmq_min((n_block + 1) * b->panels, c->choice.panels);
  const size_t out_stride = (size_t)c->problem.desc.out_c * bytes;
  uint8_t *out_rows = (uint8_t *)pass->out + first * out_stride + group * group_n * bytes;
  if (!tvmq_has_rows(b, &block)) bring_rows(c, (const uint8_t *)pass->in[0] + group * g->rows.tap_bytes, first, n_rows, scratch);

  struct tvmq_gemm_args args = {
      .n_taps = c->choice.n_taps,
      .k = c->choice.k,
      .no_row_terms = g->row_sums == NULL,
      .in_flip = kernel_flip(c),
      .stage = &c->stage,
  };
  const void *const *const table = (const void *const *)(scratch + g->slice.table);
  const int32_t *const terms = (const int32_t *)(scratch + g->slice.terms);
  const size_t whole_tiles = n_rows / mr, whole_rows = whole_tiles * mr, tiles = tvmq_ceil_div(n_rows, mr);
  const size_t repeated = n_rows < mr ? 0 : tiles * mr - n_rows;  // rows with which the last tile begins
  for (size_t p = n_block * b->panels; p < end_panel; p++) {
    const size_t n = tvmq_min(group_n - p * nr, nr);
    uint8_t *const out = out_rows + p * nr * bytes;
    args.panel = c->packed + (group * c->choice.panels + p) * c->choice.panel.size;
    args.panel_follows = p + 1 < c->choice.panels;
    if (n == nr && whole_tiles > 0) {
      multiply(v, &args, table, terms, whole_tiles, out, out_stride);
      if (tiles > whole_tiles) multiply(v, &args, table + whole_rows * args.n_taps, terms + whole_rows, 1, out + (n_rows - mr) * out_stride, out_stride);
      continue;
    }
    // What overhangs the output is computed into scratch; what belongs to the output is copied.
    multiply(v, &args, table, terms, tiles, tile, nr * bytes);
    for (size_t m = 0; m < n_rows; m++) tvmq_copy_pixel(out + m * out_stride, tile + (m < whole_rows ? m : m + repeated) * nr * bytes, n * bytes);
  }
}

const struct tvmq_conv_way tvmq_conv_by_table = {.id = TVMQ_WAY_ROW_TABLE,
                                                 .choose = choose_table,
                                                 .work = work,
                                                 .pays_flipping = pays_flipping,
                                                 .pack = tvmq_conv_pack_pieces,
                                                 .plan_bytes = sizeof(struct gemm),
                                                 .plan = plan,
                                                 .n_tasks = n_tasks,
                                                 .run_task = run_task,
                                                 .name = name_table};
const struct tvmq_conv_way tvmq_conv_by_im2col = {.id = TVMQ_WAY_IM2COL,
                                                  .choose = choose_im2col,
                                                  .work = work,
                                                  .pack = tvmq_conv_pack_pieces,
                                                  .plan_bytes = sizeof(struct gemm),
                                                  .plan = plan,
                                                  .n_tasks = n_tasks,
                                                  .run_task = run_task,
                                                  .name = name_im2col};
