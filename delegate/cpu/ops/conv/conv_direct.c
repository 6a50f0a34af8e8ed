// Convolutions that read the lines of the image directly. The output pixels of a line are rows of A at a constant
// distance, the stride. Kernels with TVMQ_LINES therefore need neither a pointer for each row nor a copy of its pieces.
// A block only needs one copy of the lines that it reads, padded and flipped for the kernel. Example for three
// channels, stride 2 and a filter of three pixels (0 is padding, letters are pixels):
//
//   line of the copy     0 a b c d e f g h ...       piece of output pixel 0: 0 a b,  of 1: b c d,  of 2: d e f
//
// Kernels read pieces in whole steps; the weights for the bytes after a piece are zero. A tile does not cross lines.
// The last tile of a line shares rows with the previous one, and a line has at least one tile.
#include "cpu/ops/conv/conv_direct.h"

#include <string.h>

#include "base/arith.h"
#include "cpu/ops/conv/conv_gemm.h"
#include "cpu/ops/conv/conv_rows.h"
#include "cpu/ops/conv/padded_line.h"

// ---- choose

// Returns the pixels per line of the copy, which the taps of an output line read.
static size_t copied_pixels(const struct tvmq_rows *rows) { return (rows->out_w - 1) * rows->stride_w + (rows->filter_w - 1) * rows->dilation_w + 1; }

// Returns the lines of the copy that `n` output lines read.
static size_t copied_lines(const struct tvmq_rows *rows, size_t n) { return (n - 1) * rows->stride_h + (rows->filter_h - 1) * rows->dilation_h + 1; }

static struct tvmq_conv_choice choose(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  struct tvmq_conv_choice c = {.n_taps = tvmq_rows_pieces(&rows)};
  // A filter zero point needs sums of rows, which need a table of pointers and take longer than the product.
  if (p->groups > 1 || p->quant.filter_zero_point != 0 || tvmq_conv_is_matrix(p)) return c;
  struct tvmq_gemm_problem gemm = tvmq_conv_gemm_problem(p, &tvmq_conv_direct, target, c.n_taps, tvmq_rows_piece_bytes(&rows));
  gemm.m = rows.out_w;
  gemm.lines = (size_t)p->desc.batch * rows.out_h;
  c.variant = tvmq_select_gemm(tvmq_conv_family(&tvmq_conv_direct, p), &gemm, &c.cycles);
  if (!c.variant) return c;
  c.k = tvmq_round_up(gemm.k, c.variant->layout.ku);
  const size_t lines = (size_t)p->desc.batch * copied_lines(&rows, rows.out_h);
  c.bring_cycles = tvmq_conv_copy_cycles(lines, lines * copied_pixels(&rows) * rows.pixel_bytes, env->machine);
  c.cycles += c.bring_cycles;
  return c;
}

// ---- plan

static struct tvmq_gemm_lines lines_of(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c) {
  (void)c;
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  return (struct tvmq_gemm_lines){.images = (size_t)p->desc.batch, .image_lines = rows.out_h, .line_rows = rows.out_w, .pitch = rows.out_w};
}

static struct tvmq_work work(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_env *env) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const struct tvmq_gemm_lines lines = lines_of(p, c);
  struct tvmq_work work = tvmq_gemm_work(p, c, &lines, env);
  work.even = true;
  work.pitch = tvmq_round_up(rows.out_w, c->variant->mr);
  work.least = 1;
  work.most = tvmq_ceil_div(env->machine->matrix_most_rows, rows.out_w);
  work.row_bytes = rows.stride_h * copied_pixels(&rows) * rows.pixel_bytes;
  work.reach = tvmq_ceil_div(copied_lines(&rows, 1), rows.stride_h) - 1;
  return work;
}

static size_t line_bytes(const struct tvmq_gemm_plan *g) { return copied_pixels(&g->rows) * g->rows.pixel_bytes; }

// Returns the bytes from the first tap of a row to tap `t`.
static size_t tap_offset(const struct tvmq_gemm_plan *g, size_t t) {
  const size_t line_pieces = g->rows.filter_w / g->rows.piece_taps;
  return t / line_pieces * g->rows.dilation_h * line_bytes(g) + t % line_pieces * g->rows.dilation_w * g->rows.pixel_bytes;
}

static bool reserve(struct tvmq_conv *c, size_t n_lines, size_t n_rows, size_t *size) {
  (void)n_rows;
  struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  size_t copies;
  return tvmq_mul_size(copied_lines(&g->rows, n_lines), line_bytes(g), &copies) && tvmq_add_size(copies, c->choice.variant->layout.ku + TVMQ_PAD, &copies) &&
         tvmq_scratch_append(size, c->choice.n_taps, sizeof(void *), &g->taps) && tvmq_scratch_append(size, copies, 1, &g->copies);
}

// ---- run

// Copies the input of output lines [first, first + n) of an image, padded and flipped for the kernel. Calls no function
// for usual lines.
static void copy_lines(const struct tvmq_conv *c, const uint8_t *image, size_t first, size_t n, uint8_t *to) {
  const struct tvmq_rows *rows = &tvmq_gemm_plan_of(c)->rows;
  const uint8_t flip = tvmq_operand_flip(&c->problem.quant, &c->choice.variant->layout);
  uint8_t zero_points[TVMQ_PAD];
  memset(zero_points, (uint8_t)c->problem.desc.in.zero_point ^ flip, TVMQ_PAD);
  const size_t pixel = rows->pixel_bytes, pixels = copied_pixels(rows), left = tvmq_min(rows->pad_left, pixels), inside = tvmq_min(pixels - left, rows->in_w);
  const size_t line = pixels * pixel, lines = copied_lines(rows, n), begin = left * pixel;
  for (size_t i = 0; i < lines; i++, to += line) {
    const size_t y = first * rows->stride_h + i - rows->pad_top;  // wraps to a huge number above the image
    if (y >= rows->in_h) {
      memset(to, zero_points[0], line);
      continue;
    }
    tvmq_copy_line(to, image + y * rows->in_w * pixel, begin, inside * pixel, line, zero_points, flip);
  }
}

static size_t bring(const struct tvmq_gemm_block *b, bool are_there, struct tvmq_gemm_part parts[2]) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(b->conv);
  uint8_t *const copies = b->scratch + g->copies;
  parts[0] = (struct tvmq_gemm_part){.base = copies, .stride = g->rows.stride_w * g->rows.pixel_bytes, .n = b->n_rows};
  if (!are_there) copy_lines(b->conv, b->in + b->image * g->rows.in_h * g->rows.in_w * g->rows.pixel_bytes, b->first, b->n_lines, copies);
  return 1;
}

// Multiplies all lines and panels in one call.
static void multiply(const struct tvmq_gemm_block *b, const struct tvmq_gemm_part *part, size_t panel, size_t n_panels, uint8_t *out, size_t out_stride) {
  const struct tvmq_conv *c = b->conv;
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t row_tiles = tvmq_ceil_div(g->rows.out_w, c->choice.variant->mr);
  const void **taps = (const void **)(b->scratch + g->taps);
  for (size_t t = 0; t < c->choice.n_taps; t++) taps[t] = part->base + tap_offset(g, t);
  c->choice.variant->fn.gemm(&(struct tvmq_gemm_args){
      .rows = taps,
      .row_stride = part->stride,
      .row_tiles = row_tiles,
      .overlap = row_tiles * c->choice.variant->mr - g->rows.out_w,
      .n_taps = c->choice.n_taps,
      .k = c->choice.k,
      .panel = b->panels + panel * c->choice.panel.size,
      .wanted = tvmq_gemm_wanted(c, panel + n_panels),
      .n_panels = n_panels,
      .panel_bytes = c->choice.panel.size,
      .n_lines = b->n_lines,
      .line_stride = g->rows.stride_h * line_bytes(g),
      .out_line_stride = g->rows.out_w * out_stride,
      .no_row_terms = true,
      .out = out,
      .out_stride = out_stride,
      .stage = &c->stage,
  });
}

static const struct tvmq_gemm_source source = {.bring = bring, .multiply = multiply, TVMQ_PLANNING(.lines = lines_of, .reserve = reserve)};

static const char *name(const struct tvmq_conv *c) { return (void)c, "direct"; }

const struct tvmq_conv_algorithm tvmq_conv_direct = {.method = &tvmq_gemm_method,
                                                     .source = &source,
                                                     TVMQ_PLANNING(.id = TVMQ_ALGORITHM_DIRECT, .family = TVMQ_FAMILY_GEMM_S8, .family_s16 = TVMQ_N_FAMILIES,
                                                                   .required = TVMQ_LINES, .choose = choose, .work = work, .name = name)};
