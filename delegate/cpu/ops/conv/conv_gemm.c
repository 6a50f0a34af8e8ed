#include "cpu/ops/conv/conv_gemm.h"

#include <string.h>

#include "base/arith.h"
#include "cpu/ops/conv/conv_rows.h"
#include "cpu/ops/moves/move.h"

// ---- plan

struct tvmq_work tvmq_gemm_work(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_gemm_lines *lines,
                                const struct tvmq_env *env) {
  const struct tvmq_conv_desc *d = &p->desc;
  const size_t image_bytes = (size_t)d->in_h * (size_t)d->in_w * (size_t)d->in_c * p->element_bytes;
  return (struct tvmq_work){
      .parts = p->groups * lines->images,
      .m = lines->image_lines,
      .pitch = lines->pitch,
      .mr = c->variant->mr,
      .cache_bytes = env->machine->block_bytes,
      .panels = c->panels,
      .panel_bytes = c->panel.size,
      .in_bytes = (size_t)d->batch * image_bytes / (p->groups * lines->images * lines->image_lines),
      .out_bytes = lines->line_rows * p->group_n * p->stored_bytes,
      .pixel_bytes = (size_t)d->out_c * p->stored_bytes,
      .panel_pixel_bytes = c->variant->layout.nr * p->stored_bytes,
      .cycles = c->cycles,
      .bring_cycles = c->bring_cycles,
  };
}

static size_t n_tasks(const struct tvmq_conv *c, size_t pass) {
  return pass > 0 ? 0 : c->problem.groups * tvmq_gemm_plan_of(c)->lines.images * c->choice.blocks.m_blocks * c->choice.blocks.n_blocks;
}

static const char *plan(struct tvmq_conv *c, const struct tvmq_env *env) {
  struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t mr = c->choice.variant->mr, tile_bytes = c->choice.variant->layout.nr * c->problem.stored_bytes;
  g->lines = c->choice.algorithm->source->lines(&c->problem, &c->choice);
  g->row_sums = tvmq_conv_row_sums(c, env);
  g->rows = tvmq_conv_rows(&c->problem);
  g->rows.padding = c->padding;
  g->is_matrix = tvmq_conv_is_matrix(&c->problem);
  const size_t n_lines = tvmq_min(c->choice.blocks.rows, g->lines.image_lines), rows = tvmq_round_up(tvmq_gemm_rows(&g->lines, n_lines), mr);
  g->tile_panels = tvmq_min(env->machine->tile_bytes / (rows * tile_bytes) + 1, c->choice.blocks.panels);
  size_t size = 0;
  if (!c->choice.algorithm->source->reserve(c, n_lines, rows, &size) || !tvmq_scratch_append(&size, rows, g->tile_panels * tile_bytes, &g->tile))
    return "scratch exceeds the address space";
  c->slice_bytes = size;
  const struct tvmq_gemm_source *source = c->choice.algorithm->source;
  const bool is_single = n_tasks(c, 0) == 1 && c->problem.m <= mr && g->tile_panels == c->choice.panels;
  const tvmq_conv_run_fn single = is_single && source->find_single != NULL ? source->find_single(c) : NULL;
  if (single != NULL) c->run_task = single;
  return NULL;
}

// ---- run

// Bytes of a small block. If the last panel of a small block extends past the output, the whole block is computed into
// scratch and copied: a second kernel call would take longer.
enum { COPIED_SOONER = 1024 };

// Returns the lines as the kernel stores them: it may drop the rows between lines.
static struct tvmq_gemm_lines stored_lines(const struct tvmq_conv *c) {
  struct tvmq_gemm_lines lines = tvmq_gemm_plan_of(c)->lines;
  if (tvmq_gemm_drops_gaps(c)) lines.pitch = lines.line_rows;
  return lines;
}

// Returns the number of rows of a part that the kernel stores. Blocks of several parts have no gaps.
static size_t stored_rows(const struct tvmq_gemm_block *b, const struct tvmq_gemm_part *part) {
  const struct tvmq_gemm_lines lines = stored_lines(b->conv);
  return part->n == b->n_rows ? tvmq_gemm_rows(&lines, b->n_lines) : part->n;
}

// Copies the first `n` bytes of the rows in [first, end) that belong to lines. `from`: row `first`.
static void copy_out(const struct tvmq_gemm_lines *lines, const uint8_t *from, size_t from_stride, size_t first, size_t end, size_t n, uint8_t *out,
                     size_t out_stride) {
  if (lines->pitch == lines->line_rows) {
    tvmq_move_rows(out + first * out_stride, (ptrdiff_t)out_stride, from, (ptrdiff_t)from_stride, n, end - first);
    return;
  }
  for (size_t m = first; m < end; m += lines->pitch, from += lines->pitch * from_stride, out += lines->line_rows * out_stride)
    tvmq_move_rows(out, (ptrdiff_t)out_stride, from, (ptrdiff_t)from_stride, n, tvmq_min(lines->line_rows, end - m));
}

// Computes panels [panel, end_panel) of a part into scratch, and copies the results that belong to the output. `out`:
// the block's first row in the output.
static void multiply_aside(const struct tvmq_gemm_block *b, const struct tvmq_gemm_part *part, size_t panel, size_t end_panel, uint8_t *out,
                           size_t out_stride) {
  const struct tvmq_conv *c = b->conv;
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t nr = c->choice.variant->layout.nr, bytes = c->problem.stored_bytes;
  uint8_t *const tile = b->scratch + g->tile;
  const struct tvmq_gemm_lines lines = stored_lines(c);
  const size_t n_rows = stored_rows(b, part);
  for (size_t p = panel, panels; p < end_panel; p += panels) {
    panels = tvmq_min(end_panel - p, g->tile_panels);
    c->choice.algorithm->source->multiply(b, part, p, panels, tile, panels * nr * bytes);
    const size_t channels = tvmq_min(c->problem.group_n - p * nr, panels * nr);
    copy_out(&lines, tile, panels * nr * bytes, part->first, part->first + n_rows, channels * bytes, out + p * nr * bytes, out_stride);
  }
}

void tvmq_conv_run_gemm(const struct tvmq_conv *c, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const struct tvmq_gemm_lines *lines = &g->lines;
  const struct tvmq_blocks *blocks = &c->choice.blocks;
  const size_t mr = c->choice.variant->mr, nr = c->choice.variant->layout.nr, bytes = c->problem.stored_bytes, group_n = c->problem.group_n;
  const size_t out_stride = (size_t)c->problem.desc.out_c * bytes;

  size_t group = task.index;
  const size_t n_block = tvmq_take_digit(&group, blocks->n_blocks), m_block = tvmq_take_digit(&group, blocks->m_blocks);
  const size_t image = tvmq_take_digit(&group, lines->images);
  const size_t first = m_block * blocks->rows, n_lines = tvmq_min(lines->image_lines - first, blocks->rows);
  const struct tvmq_gemm_block b = {
      .conv = c,
      .in = pass->in[0],
      .group = group,
      .image = image,
      .first = first,
      .n_lines = n_lines,
      .n_rows = tvmq_gemm_rows(lines, n_lines),
      .scratch = tvmq_conv_scratch(c, task.thread),
      .panels = c->packed + group * c->choice.panels * c->choice.panel.size,
  };
  struct tvmq_gemm_part parts[2];
  const size_t n_parts = c->choice.algorithm->source->bring(&b, tvmq_has_rows(blocks, &task), parts);

  // Results go through scratch in three cases. A part has fewer than mr rows. A panel has more channels than the group,
  // and the kernel has no TVMQ_NARROW. Lines have gaps that the kernel does not drop.
  const size_t pixel = (image * lines->image_lines + first) * lines->line_rows;
  uint8_t *const out = (uint8_t *)pass->outs[0] + pixel * out_stride + group * group_n * bytes;
  const size_t panel = n_block * blocks->panels, end_panel = tvmq_min(panel + blocks->panels, c->choice.panels);
  const struct tvmq_gemm_lines stored = stored_lines(c);
  const bool has_no_gaps = stored.pitch == stored.line_rows;
  const size_t fitting = (c->choice.variant->flags & TVMQ_NARROW) != 0 ? end_panel : tvmq_min(end_panel, group_n / nr);
  const size_t direct_end = tvmq_max(fitting, panel);
  for (const struct tvmq_gemm_part *part = parts; part < parts + n_parts; part++) {
    if (part->n == 0) continue;
    const bool is_small = direct_end < end_panel && part->n * (end_panel - panel) * nr * bytes <= COPIED_SOONER;
    const size_t direct = part->n >= mr && has_no_gaps && !is_small ? direct_end - panel : 0;
    if (direct > 0) c->choice.algorithm->source->multiply(&b, part, panel, direct, out + part->first * out_stride + panel * nr * bytes, out_stride);
    multiply_aside(&b, part, panel + direct, end_panel, out, out_stride);
  }
  tvmq_run_epilogue(pass, pixel, n_lines * lines->line_rows, group * group_n + panel * nr, tvmq_min(end_panel * nr, group_n) - panel * nr);
}

const struct tvmq_conv_method tvmq_gemm_method = {
    .n_tasks = n_tasks,
    .run_task = tvmq_conv_run_gemm,
    TVMQ_PLANNING(.packer = TVMQ_PACKER_GEMM, .pack = tvmq_conv_pack_pieces, .plan_bytes = sizeof(struct tvmq_gemm_plan), .plan = plan)};
