// Convolutions as one gemm per group, with kernels that need rows of A at a constant distance (TVMQ_MATRIX_ROWS). Three
// algorithms differ in where the rows are: in the input, if they are its pixels; in a padded copy of the input, in
// which the pixels of a tap are contiguous; or in a copy piece by piece ("im2col", rows.h).
//
// In the padded copy, the gap between two lines is both the right padding of one line and the left padding of the next.
// So pixel (y, x) of any tap is y * pitch + x pixels after the tap's first pixel. Example for lines of 3 pixels,
// padding of 1 and two lines (0 is padding, - is read only for unwanted rows):
//
//   0 0 0 0   0 a b c   0 d e f   0 0 0 0   -        rows of A: line 0 has rows 0 1 2, line 1 has rows 4 5 6;
//                                                    row 3 reads the gap and is dropped
//
// With strides, each row is stride_w pixels after the previous row. The copy has one plane for each remainder of a
// line's number by stride_h that the filter reaches. In a plane, a tap reads consecutive lines.
//
// Kernels read rows in whole steps; the weights for the bytes after a tap are zero.
#include "cpu/ops/conv/conv_matrix.h"

#include <string.h>

#include "base/arith.h"
#include "cpu/ops/conv/conv_gemm.h"
#include "cpu/ops/conv/conv_rows.h"
#include "cpu/ops/conv/padded_line.h"
#include "cpu/ops/pixels.h"

// ---- choose

static struct tvmq_conv_choice choose(const struct tvmq_conv_problem *p, const struct tvmq_conv_algorithm *algorithm, const struct tvmq_target *target,
                                      size_t m, size_t n_taps, size_t k, float gap_cycles) {
  struct tvmq_conv_choice c = {.n_taps = n_taps};
  struct tvmq_gemm_problem gemm = tvmq_conv_gemm_problem(p, algorithm, target, n_taps, k);
  gemm.m = m;
  gemm.gap_cycles = gap_cycles;
  c.variant = tvmq_select_gemm(tvmq_conv_family(algorithm, p), &gemm, &c.cycles);
  if (!c.variant) return c;
  c.k = tvmq_round_up(k, c.variant->layout.ku);
  c.bring_cycles = tvmq_gemm_row_cycles(c.variant, &gemm);
  return c;
}

static struct tvmq_conv_choice choose_matrix(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  (void)env;
  if (!tvmq_conv_is_matrix(p)) return (struct tvmq_conv_choice){0};
  return choose(p, &tvmq_conv_by_matrix, target, p->m, 1, (size_t)p->desc.in_c, 0);
}

// Returns the rows from a line of the padded copy to the next. This is enough for the gap between lines, and for the
// outputs of a line, of which a border wider than the filter may give more.
static size_t padded_pitch(const struct tvmq_rows *rows) {
  return tvmq_max(tvmq_ceil_div(rows->in_w + tvmq_max(rows->pad_right, rows->pad_left), rows->stride_w), rows->out_w);
}

static size_t padded_line_bytes(const struct tvmq_rows *rows, size_t pitch) { return pitch * rows->stride_w * rows->pixel_bytes; }

// Returns the distance from the first to the last input line that a filter reads.
static size_t reach_h(const struct tvmq_rows *rows) { return (rows->filter_h - 1) * rows->dilation_h; }

// Return the number of planes of the padded copy, and the lines of each plane that `n` output lines read.
static size_t padded_planes(const struct tvmq_rows *rows) { return tvmq_min(rows->stride_h, reach_h(rows) + 1); }
static size_t padded_lines(const struct tvmq_rows *rows, size_t n) { return n + reach_h(rows) / rows->stride_h; }

static struct tvmq_conv_choice choose_padding(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const size_t batch = (size_t)p->desc.batch, pitch = padded_pitch(&rows), lines = padded_planes(&rows) * padded_lines(&rows, rows.out_h);
  // Kernels that drop gaps (TVMQ_GAPS) accept no gap that is longer than a line, and multiplying so many unwanted rows
  // would not pay. If one stride leads out of the line, the copy would be longer than the input.
  if (p->groups > 1 || pitch > 2 * rows.out_w || (pitch == 1 && rows.stride_w > 1)) return (struct tvmq_conv_choice){0};
  const float gap_cycles = pitch > rows.out_w ? (float)batch * tvmq_conv_copy_cycles(0, rows.out_h * pitch * (size_t)p->desc.out_c, env->machine) : 0;
  struct tvmq_conv_choice c =
      choose(p, &tvmq_conv_by_padding, target, batch * rows.out_h * pitch, tvmq_rows_pieces(&rows), tvmq_rows_piece_bytes(&rows), gap_cycles);
  if (!c.variant) return c;
  const float copy_cycles = (float)batch * tvmq_conv_copy_cycles(lines, lines * padded_line_bytes(&rows, pitch), env->machine);
  c.bring_cycles += copy_cycles;
  c.cycles += copy_cycles;
  return c;
}

static struct tvmq_conv_choice choose_im2col(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const size_t n_pieces = tvmq_rows_pieces(&rows), k = n_pieces * tvmq_rows_piece_bytes(&rows);
  struct tvmq_conv_choice c = choose(p, &tvmq_conv_by_matrix_im2col, target, p->m, 1, k, 0);
  if (!c.variant) return c;
  c.copies = true;
  const float copy_cycles = tvmq_conv_im2col_cycles(p, env->machine);
  c.bring_cycles = (c.bring_cycles + copy_cycles) * (float)p->groups;
  c.cycles = (c.cycles + copy_cycles) * (float)p->groups;
  return c;
}

// ---- plan

// Returns the bytes from a plane of the padded copy to the next.
static size_t plane_bytes(const struct tvmq_conv *c) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  return padded_lines(&g->rows, tvmq_min(c->choice.blocks.rows, g->lines.image_lines)) * padded_line_bytes(&g->rows, g->lines.pitch);
}

// Returns the bytes from a row of tap 0 to the same row of tap `t` in the padded copy. The other algorithms have one
// tap.
static size_t tap_offset(const struct tvmq_conv *c, size_t t) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t line_pieces = g->rows.filter_w / g->rows.piece_taps, line = t / line_pieces * g->rows.dilation_h;
  return line % g->rows.stride_h * plane_bytes(c) + line / g->rows.stride_h * padded_line_bytes(&g->rows, g->lines.pitch) +
         t % line_pieces * g->rows.dilation_w * g->rows.pixel_bytes;
}

// Returns the number of rows at the end of the input for which the kernel's last step would read past the input.
static size_t unreadable_rows(const struct tvmq_conv *c) {
  const size_t pixel = tvmq_gemm_plan_of(c)->rows.pixel_bytes;
  return tvmq_min(tvmq_ceil_div(c->choice.k - pixel, pixel), c->problem.m);
}

static struct tvmq_gemm_lines padded_copy_lines(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c) {
  (void)c;
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  return (struct tvmq_gemm_lines){.images = (size_t)p->desc.batch, .image_lines = rows.out_h, .line_rows = rows.out_w, .pitch = padded_pitch(&rows)};
}

static struct tvmq_work work_in_lines(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_gemm_lines *lines,
                                      const struct tvmq_env *env) {
  struct tvmq_work work = tvmq_gemm_work(p, c, lines, env);
  work.even = true;
  work.least = env->machine->matrix_least_tiles * tvmq_ceil_div(c->variant->mr, lines->pitch);
  work.most = tvmq_ceil_div(env->machine->matrix_most_rows, lines->pitch);
  work.row_bytes = c->k;
  return work;
}

static struct tvmq_work work(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_env *env) {
  const struct tvmq_gemm_lines line = tvmq_gemm_single_rows(p, c);
  return work_in_lines(p, c, &line, env);
}

static struct tvmq_work work_padded(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_env *env) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const struct tvmq_gemm_lines lines = padded_copy_lines(p, c);
  struct tvmq_work work = work_in_lines(p, c, &lines, env);
  work.row_bytes = padded_planes(&rows) * padded_line_bytes(&rows, lines.pitch);
  work.reach = padded_lines(&rows, 0);
  return work;
}

// Reserves a thread's scratch: `copies` bytes for copies, and the arrays that all algorithms need.
static bool reserve(struct tvmq_conv *c, size_t n_rows, size_t copies, size_t *size) {
  struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t mr = c->choice.variant->mr;
  return tvmq_scratch_append(size, c->choice.n_taps, sizeof(void *), &g->taps) && tvmq_scratch_append(size, copies, 1, &g->copies) &&
         tvmq_scratch_append(size, g->row_sums ? tvmq_round_up(n_rows, mr) * c->choice.n_taps : 0, sizeof(void *), &g->table) &&
         tvmq_scratch_append(size, g->row_sums ? n_rows + mr : 0, sizeof(int32_t), &g->terms);
}

static bool reserve_matrix(struct tvmq_conv *c, size_t n_lines, size_t n_rows, size_t *size) {
  const size_t mr = c->choice.variant->mr;
  size_t copies;
  (void)n_lines;
  return tvmq_mul_size(tvmq_round_up(mr + unreadable_rows(c), mr), c->choice.k, &copies) && reserve(c, n_rows, copies, size);
}

// The sizes of rows and lines cannot overflow: claim_conv.c limits tensors and strides, and the reach of filters by the
// padding.
static bool reserve_padded(struct tvmq_conv *c, size_t n_lines, size_t n_rows, size_t *size) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t pixel = g->rows.pixel_bytes, line = padded_line_bytes(&g->rows, g->lines.pitch),
               last_tap = padded_lines(&g->rows, 0) * line + (g->rows.filter_w - 1) * g->rows.dilation_w * pixel;
  size_t read, plane, filled, others, copies;  // bytes of the last plane that are read, and filled; `others`: the planes before it
  if (!tvmq_mul_size(n_rows, g->rows.stride_w * pixel, &read) || !tvmq_add_size(read, last_tap + c->choice.k, &read)) return false;
  if (!tvmq_mul_size(padded_lines(&g->rows, n_lines), line, &plane) || !tvmq_add_size(plane, g->rows.pad_left * pixel + TVMQ_PAD, &filled)) return false;
  return tvmq_mul_size(padded_planes(&g->rows) - 1, plane, &others) && tvmq_add_size(tvmq_max(read, filled), others, &copies) &&
         reserve(c, n_rows, copies, size);
}

static bool reserve_im2col(struct tvmq_conv *c, size_t n_lines, size_t n_rows, size_t *size) {
  size_t copies;
  (void)n_lines;
  return tvmq_mul_size(n_rows, c->choice.k, &copies) && reserve(c, n_rows, copies, size);
}

// ---- run

// Copies the input of output lines [first, first + n) of an image, padded.
static void copy_padded(const struct tvmq_conv *c, const uint8_t *image, size_t first, size_t n, uint8_t *copies) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t pixel = g->rows.pixel_bytes, line = g->rows.in_w * pixel, pitch = padded_line_bytes(&g->rows, g->lines.pitch);
  const size_t lines = padded_lines(&g->rows, n), planes = padded_planes(&g->rows), plane = plane_bytes(c);
  uint8_t zero_points[TVMQ_PAD];
  memset(zero_points, (uint8_t)c->problem.desc.in.zero_point, TVMQ_PAD);
  for (size_t p = 0; p < planes; p++) {
    uint8_t *to = copies + p * plane;
    tvmq_pad_line(to, zero_points, g->rows.pad_left * pixel);
    to += g->rows.pad_left * pixel;
    for (size_t i = 0; i < lines; i++, to += pitch) {
      const size_t y = (first + i) * g->rows.stride_h + p - g->rows.pad_top;  // wraps to a huge number above the image
      if (y < g->rows.in_h)
        tvmq_copy_line(to, image + y * line, 0, line, pitch, zero_points, 0);
      else
        memset(to, zero_points[0], pitch);
    }
  }
}

// Returns the flip that the kernel applies: all of it if the kernel can flip. Rows are never flipped before the call.
static uint8_t kernel_flip(const struct tvmq_conv *c) {
  const struct tvmq_variant *v = c->choice.variant;
  return v->flags & TVMQ_LINES ? tvmq_operand_flip(&c->problem.quant, &v->layout) : 0;
}

// Fills the table of all rows of a block for sums of rows, in whole tiles. The last tile is filled up with the last
// row; the sums ignore the repetitions.
static void fill_table(const struct tvmq_gemm_block *b, const struct tvmq_gemm_part *parts, size_t n_parts, const void **table) {
  const struct tvmq_conv_choice *choice = &b->conv->choice;
  const size_t mr = choice->variant->mr, n_taps = choice->n_taps, last = b->n_rows - 1;
  for (size_t t = 0; t < n_taps; t++) {
    const size_t offset = tap_offset(b->conv, t);
    const struct tvmq_gemm_part *part = parts;
    const void **cells = table + t * mr;
    for (size_t tile = 0; tile <= last; tile += mr, cells += n_taps * mr) {
      for (size_t r = 0; r < mr; r++) {
        const size_t row = tvmq_min(tile + r, last);
        while (part < parts + n_parts - 1 && row >= part->first + part->n) part++;
        cells[r] = part->base + offset + (row - part->first) * part->stride;
      }
    }
  }
}

static void sum_rows(const struct tvmq_gemm_block *b, const struct tvmq_gemm_part *parts, size_t n_parts) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(b->conv);
  const void **table = (const void **)(b->scratch + g->table);
  if (g->row_sums == NULL) return;
  fill_table(b, parts, n_parts, table);
  tvmq_conv_row_terms(b->conv, g->row_sums, (const void *const *)table, b->n_rows, kernel_flip(b->conv), (int32_t *)(b->scratch + g->terms));
}

// Packs the rows that cannot be read in place: they are copied and form a part of their own.
static size_t bring_matrix(const struct tvmq_gemm_block *b, bool are_there, struct tvmq_gemm_part parts[2]) {
  const struct tvmq_conv *c = b->conv;
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t k = c->choice.k, pixel = g->rows.pixel_bytes, first = b->first, n = b->n_rows;
  const size_t readable = c->problem.m - unreadable_rows(c), in_place = readable > first ? tvmq_min(readable - first, n) : 0;
  const size_t whole = in_place < c->choice.variant->mr ? 0 : in_place;
  uint8_t *const copies = b->scratch + g->copies;
  parts[0] = (struct tvmq_gemm_part){.base = b->in + first * pixel, .stride = pixel, .n = whole};
  parts[1] = (struct tvmq_gemm_part){.base = copies, .stride = k, .first = whole, .n = n - whole};
  if (are_there) return 2;
  for (size_t m = whole; m < n; m++) memcpy(copies + (m - whole) * k, b->in + (first + m) * pixel, pixel);
  sum_rows(b, parts, 2);
  return 2;
}

static size_t bring_padded(const struct tvmq_gemm_block *b, bool are_there, struct tvmq_gemm_part parts[2]) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(b->conv);
  const size_t pixel = g->rows.pixel_bytes;
  uint8_t *const copies = b->scratch + g->copies;
  parts[0] = (struct tvmq_gemm_part){.base = copies, .stride = g->rows.stride_w * pixel, .n = b->n_rows};
  if (are_there) return 1;
  copy_padded(b->conv, b->in + b->image * g->rows.in_h * g->rows.in_w * pixel, b->first, b->n_lines, copies);
  sum_rows(b, parts, 1);
  return 1;
}

static size_t bring_im2col(const struct tvmq_gemm_block *b, bool are_there, struct tvmq_gemm_part parts[2]) {
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(b->conv);
  const size_t k = b->conv->choice.k;
  uint8_t *const copies = b->scratch + g->copies;
  parts[0] = (struct tvmq_gemm_part){.base = copies, .stride = k, .n = b->n_rows};
  if (are_there) return 1;
  tvmq_rows_im2col(&g->rows, b->in + b->group * g->rows.tap_bytes, b->first, b->n_rows, copies, k);
  sum_rows(b, parts, 1);
  return 1;
}

// Multiplies all tiles and panels in one call; the last tile shares rows with the previous one.
static void multiply(const struct tvmq_gemm_block *b, const struct tvmq_gemm_part *part, size_t panel, size_t n_panels, uint8_t *out, size_t out_stride) {
  const struct tvmq_conv *c = b->conv;
  const struct tvmq_gemm_plan *g = tvmq_gemm_plan_of(c);
  const size_t mr = c->choice.variant->mr, row_tiles = tvmq_ceil_div(part->n, mr);
  const void **taps = (const void **)(b->scratch + g->taps);
  for (size_t t = 0; t < c->choice.n_taps; t++) taps[t] = part->base + tap_offset(c, t);
  c->choice.variant->fn.gemm(&(struct tvmq_gemm_args){
      .rows = taps,
      .row_stride = part->stride,
      .row_tiles = row_tiles,
      .overlap = part->n < mr ? 0 : row_tiles * mr - part->n,
      .n_taps = c->choice.n_taps,
      .k = c->choice.k,
      .panel = b->panels + panel * c->choice.panel.size,
      .wanted = tvmq_gemm_wanted(c, panel + n_panels),
      .n_panels = n_panels,
      .panel_bytes = c->choice.panel.size,
      .n_lines = 1,
      .pitch = tvmq_gemm_drops_gaps(c) ? g->lines.pitch : 0,
      .line_rows = g->lines.line_rows,
      .in_flip = kernel_flip(c),
      .row_terms = g->row_sums ? (const int32_t *)(b->scratch + g->terms) + part->first : NULL,
      .out = out,
      .out_stride = out_stride,
      .stage = &c->stage,
  });
}

static const struct tvmq_gemm_source matrix = {
    .bring = bring_matrix, .multiply = multiply, TVMQ_PLANNING(.lines = tvmq_gemm_single_rows, .reserve = reserve_matrix)};
static const struct tvmq_gemm_source padded = {
    .bring = bring_padded, .multiply = multiply, TVMQ_PLANNING(.lines = padded_copy_lines, .reserve = reserve_padded)};
static const struct tvmq_gemm_source by_im2col = {
    .bring = bring_im2col, .multiply = multiply, TVMQ_PLANNING(.lines = tvmq_gemm_single_rows, .reserve = reserve_im2col)};

static const char *name_matrix(const struct tvmq_conv *c) { return (void)c, "rows"; }
static const char *name_padding(const struct tvmq_conv *c) { return (void)c, "padded copy"; }
static const char *name_im2col(const struct tvmq_conv *c) { return (void)c, "im2col"; }

const struct tvmq_conv_algorithm tvmq_conv_by_matrix = {
    .method = &tvmq_gemm_method,
    .source = &matrix,
    TVMQ_PLANNING(.id = TVMQ_ALGORITHM_MATRIX, .family = TVMQ_FAMILY_GEMM_S8, .family_s16 = TVMQ_N_FAMILIES, .required = TVMQ_MATRIX_ROWS,
                  .choose = choose_matrix, .work = work, .name = name_matrix)};
const struct tvmq_conv_algorithm tvmq_conv_by_padding = {
    .method = &tvmq_gemm_method,
    .source = &padded,
    TVMQ_PLANNING(.id = TVMQ_ALGORITHM_PADDED_COPY, .family = TVMQ_FAMILY_GEMM_S8, .family_s16 = TVMQ_N_FAMILIES, .required = TVMQ_MATRIX_ROWS,
                  .choose = choose_padding, .work = work_padded, .name = name_padding)};
const struct tvmq_conv_algorithm tvmq_conv_by_matrix_im2col = {
    .method = &tvmq_gemm_method,
    .source = &by_im2col,
    TVMQ_PLANNING(.id = TVMQ_ALGORITHM_MATRIX_IM2COL, .family = TVMQ_FAMILY_GEMM_S8, .family_s16 = TVMQ_N_FAMILIES, .required = TVMQ_MATRIX_ROWS,
                  .choose = choose_im2col, .work = work, .name = name_im2col)};
