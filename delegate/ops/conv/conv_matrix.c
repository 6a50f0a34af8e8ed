// Convolutions as a gemm per group, by kernels that want the rows of A a constant distance apart (TVMQ_MATRIX_ROWS). Three ways differ in where the rows are:
// where they lie in the input, if they are its pixels; in a copy of the input with its padding, in which the pixels of a tap lie side by side; or copied piece
// by piece ("im2col", rows.h).
//
// The copy with padding has a gap between lines that serves both as the right padding of one and as the left padding of the next, so that pixel (y, x) of any
// tap is y * pitch + x pixels behind the tap's first. For 3 pixels, padding of 1 and two lines (0 is padding, - is read only for rows that nobody wants):
//
//   0 0 0 0   0 a b c   0 d e f   0 0 0 0   -        rows of A: line 0 has 0 1 2, line 1 has 4 5 6; row 3 reads what lies between and is dropped
//
// Rows are read as far as whole steps of the kernel go: what lies behind a tap meets weights of zero.
#include "ops/conv/conv_matrix.h"

#include <string.h>

#include "base/arith.h"
#include "ops/conv/conv_rows.h"
#include "ops/pixels.h"

struct matrix {
  struct tvmq_rows rows;
  const struct tvmq_variant *row_sums;  // NULL: no row terms
  // Rows of A are output pixels in lines, `pitch` rows from each line to the next; those past line_rows belong to no output.
  size_t images, image_lines, line_rows, pitch;
  size_t tile_panels;  // panels that are computed at once by way of scratch
  struct {
    size_t taps, copies, table, terms, tile;  // byte offsets in a thread's scratch
  } slice;
};
static struct matrix *matrix_of(const struct tvmq_conv *c) { return c->plan; }

// ---- choose

static struct tvmq_conv_choice choose(const struct tvmq_conv_problem *p, const struct tvmq_target *target, size_t m, size_t n_taps, size_t k) {
  struct tvmq_conv_choice c = {.n_taps = n_taps};
  if (p->desc.in_type == TVMQ_TYPE_S16) return c;
  struct tvmq_gemm_problem gemm = tvmq_conv_gemm_problem(p, target, n_taps, k);
  gemm.m = m;
  gemm.required = TVMQ_MATRIX_ROWS;
  c.variant = tvmq_select_gemm(TVMQ_FAMILY_GEMM_S8, &gemm, &c.cycles);
  if (!c.variant) return c;
  c.k = tvmq_round_up(k, c.variant->layout.ku);
  c.bring_cycles = tvmq_gemm_row_cycles(c.variant, &gemm);
  return c;
}

static struct tvmq_conv_choice choose_in_place(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  (void)env;
  if (!tvmq_conv_is_matrix(p)) return (struct tvmq_conv_choice){0};
  return choose(p, target, p->m, 1, (size_t)p->desc.in_c);
}

// Pixels that taps reach past the right side of the input.
static size_t pad_right(const struct tvmq_rows *rows) {
  const size_t reach = rows->out_w + (rows->filter_w - 1) * rows->dilation_w;
  return reach > rows->pad_left + rows->in_w ? reach - rows->pad_left - rows->in_w : 0;
}

// Wide enough for the gap between lines, and for the outputs of a line, which under a border wider than the filter may be more.
static size_t padded_pitch(const struct tvmq_rows *rows) {
  const size_t right = pad_right(rows), pitch = rows->in_w + (right > rows->pad_left ? right : rows->pad_left);
  return pitch > rows->out_w ? pitch : rows->out_w;
}

static struct tvmq_conv_choice choose_padding(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  if (p->groups > 1 || p->desc.stride_h > 1 || p->desc.stride_w > 1) return (struct tvmq_conv_choice){0};
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const size_t batch = (size_t)p->desc.batch, pitch = padded_pitch(&rows), lines = rows.out_h + (rows.filter_h - 1) * rows.dilation_h;
  struct tvmq_conv_choice c = choose(p, target, batch * rows.out_h * pitch, tvmq_rows_pieces(&rows), tvmq_rows_piece_bytes(&rows));
  const float copy_cycles = (float)batch * tvmq_conv_copy_cycles(lines, lines * pitch * rows.pixel_bytes, env->machine);
  c.bring_cycles += copy_cycles;
  c.cycles += copy_cycles + (float)batch * tvmq_conv_copy_cycles(0, rows.out_h * pitch * (size_t)p->desc.out_c, env->machine);
  return c;
}

static struct tvmq_conv_choice choose_im2col(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const size_t n_pieces = tvmq_rows_pieces(&rows), k = n_pieces * tvmq_rows_piece_bytes(&rows);
  struct tvmq_conv_choice c = choose(p, target, p->m, 1, k);
  c.copies = true;
  const float copy_cycles = tvmq_conv_copy_cycles(p->m * n_pieces, p->m * k, env->machine);
  c.bring_cycles = (c.bring_cycles + copy_cycles) * (float)p->groups;
  c.cycles = (c.cycles + copy_cycles) * (float)p->groups;
  return c;
}

// ---- plan

// Bytes from a row of tap 0 to that of tap `t`, in the copy with padding; the other ways have one tap.
static size_t tap_offset(const struct matrix *x, size_t t) {
  const size_t line_pieces = x->rows.filter_w / x->rows.piece_taps;
  return (t / line_pieces * x->rows.dilation_h * x->pitch + t % line_pieces * x->rows.dilation_w) * x->rows.pixel_bytes;
}

// Lines of the copy with padding that `n` output lines read.
static size_t padded_lines(const struct matrix *x, size_t n) { return n + (x->rows.filter_h - 1) * x->rows.dilation_h; }

static size_t rows_of(const struct matrix *x, size_t n_lines) { return (n_lines - 1) * x->pitch + x->line_rows; }

// Rows at the end of the input behind which a step of the kernel would read past it.
static size_t unreadable_rows(const struct tvmq_conv *c) {
  const size_t pixel = matrix_of(c)->rows.pixel_bytes;
  return tvmq_min(tvmq_ceil_div(c->choice.k - pixel, pixel), c->problem.m);
}

static bool is_padded(const struct tvmq_conv_choice *c) { return c->way->id == TVMQ_WAY_PADDED_COPY; }

// Bytes of a thread's copies; false: they do not fit. Rows and lines do: claim_conv.c bounds the tensors and, by way of the padding, how far filters reach.
static bool copies_bytes(const struct tvmq_conv *c, size_t n_lines, size_t *bytes) {
  const struct matrix *x = matrix_of(c);
  const size_t mr = c->choice.variant->mr, k = c->choice.k, pixel = x->rows.pixel_bytes, rows = tvmq_round_up(rows_of(x, n_lines), mr);
  if (c->choice.way->id == TVMQ_WAY_MATRIX) return tvmq_mul_size(tvmq_round_up(mr + unreadable_rows(c), mr), k, bytes);
  if (c->choice.way->id == TVMQ_WAY_MATRIX_IM2COL) return tvmq_mul_size(rows, k, bytes);
  size_t read, filled;
  if (!tvmq_mul_size(rows, pixel, &read) || !tvmq_add_size(read, tap_offset(x, c->choice.n_taps - 1) + k, &read)) return false;
  if (!tvmq_mul_size(padded_lines(x, n_lines) * x->pitch + x->rows.pad_left, pixel, &filled)) return false;
  *bytes = read > filled ? read : filled;
  return true;
}

static void set_lines(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, struct matrix *x) {
  *x = (struct matrix){.rows = tvmq_conv_rows(p), .images = 1, .image_lines = p->m, .line_rows = 1, .pitch = 1};
  if (!is_padded(c)) return;
  x->images = (size_t)p->desc.batch;
  x->image_lines = x->rows.out_h;
  x->line_rows = x->rows.out_w;
  x->pitch = padded_pitch(&x->rows);
}

static struct tvmq_work work(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_env *env) {
  struct matrix x;
  set_lines(p, c, &x);
  return (struct tvmq_work){
      .parts = p->groups * x.images,
      .m = x.image_lines,
      .pitch = x.pitch,
      .mr = c->variant->mr,
      .even = true,
      .least = env->machine->matrix.least_tiles * tvmq_ceil_div(c->variant->mr, x.pitch),
      .most = tvmq_ceil_div(env->machine->matrix.most_rows, x.pitch),
      .cache_bytes = env->machine->block_bytes,
      .row_bytes = x.pitch * (is_padded(c) ? x.rows.pixel_bytes : c->k),
      .panels = c->panels,
      .panel_bytes = c->panel.size,
      .in_bytes = x.rows.in_h * x.rows.in_w * x.rows.pixel_bytes / (p->groups * x.image_lines),
      .out_bytes = x.line_rows * p->group_n,
      .pixel_bytes = (size_t)p->desc.out_c,
      .panel_pixel_bytes = c->variant->layout.nr,
      .reach = x.pitch > 1 ? padded_lines(&x, 0) : 0,
      .cycles = c->cycles,
      .bring_cycles = c->bring_cycles,
  };
}

static const char *plan(struct tvmq_conv *c, const struct tvmq_env *env) {
  struct matrix *x = matrix_of(c);
  const size_t mr = c->choice.variant->mr, nr = c->choice.variant->layout.nr;
  set_lines(&c->problem, &c->choice, x);
  x->row_sums = tvmq_conv_row_sums(c, env);
  x->rows.padding = c->padding;

  const size_t n_lines = tvmq_min(c->choice.blocks.rows, x->image_lines), rows = tvmq_round_up(rows_of(x, n_lines), mr);
  x->tile_panels = tvmq_min(env->machine->tile_bytes / (rows * nr) + 1, c->choice.blocks.panels);
  size_t size = 0, copies;
  if (!copies_bytes(c, n_lines, &copies) || !tvmq_scratch_append(&size, c->choice.n_taps, sizeof(void *), &x->slice.taps) ||
      !tvmq_scratch_append(&size, copies, 1, &x->slice.copies) ||
      !tvmq_scratch_append(&size, x->row_sums ? rows * c->choice.n_taps : 0, sizeof(void *), &x->slice.table) ||
      !tvmq_scratch_append(&size, x->row_sums ? rows + mr : 0, sizeof(int32_t), &x->slice.terms) ||
      !tvmq_scratch_append(&size, rows, x->tile_panels * nr, &x->slice.tile))
    return "scratch exceeds the address space";
  c->slice_bytes = size;
  return NULL;
}

// ---- run

// Rows [first, first + n) of a block, `stride` bytes apart from `base` on.
struct part {
  const uint8_t *base;
  size_t stride, first, n;
};

// Copies what output lines [first, first + n) of an image read, with its padding.
static void copy_padded(const struct tvmq_conv *c, const uint8_t *image, size_t first, size_t n, uint8_t *to) {
  const struct matrix *x = matrix_of(c);
  const size_t pixel = x->rows.pixel_bytes, line = x->rows.in_w * pixel, pitch = x->pitch * pixel, lines = padded_lines(x, n);
  const int zero_point = (uint8_t)c->problem.desc.in.zero_point;
  memset(to, zero_point, x->rows.pad_left * pixel);
  to += x->rows.pad_left * pixel;
  for (size_t i = 0; i < lines; i++, to += pitch) {
    const size_t y = first + i - x->rows.pad_top;  // huge above the image
    const size_t copied = y < x->rows.in_h ? line : 0;
    memcpy(to, image + y * copied, copied);
    memset(to + copied, zero_point, pitch - copied);
  }
}

// Where the rows of lines [first, first + n) are, once those that cannot be read in place are copied, unless they have been; returns how many parts that makes.
static size_t bring_rows(const struct tvmq_conv *c, const uint8_t *in, size_t group, size_t image, size_t first, size_t n, bool copied, uint8_t *copies,
                         struct part parts[2]) {
  const struct matrix *x = matrix_of(c);
  const size_t k = c->choice.k, mr = c->choice.variant->mr, pixel = x->rows.pixel_bytes;
  if (is_padded(&c->choice)) {
    if (!copied) copy_padded(c, in + image * x->rows.in_h * x->rows.in_w * pixel, first, n, copies);
    parts[0] = (struct part){.base = copies, .stride = pixel, .n = rows_of(x, n)};
    return 1;
  }
  if (c->choice.way->id == TVMQ_WAY_MATRIX_IM2COL) {
    if (!copied) tvmq_rows_im2col(&x->rows, in + group * x->rows.tap_bytes, first, n, copies, k);
    parts[0] = (struct part){.base = copies, .stride = k, .n = n};
    return 1;
  }
  const size_t readable = c->problem.m - unreadable_rows(c), in_place = readable > first ? tvmq_min(readable - first, n) : 0;
  const size_t whole = in_place < mr ? 0 : in_place;
  parts[0] = (struct part){.base = in + first * pixel, .stride = pixel, .n = whole};
  parts[1] = (struct part){.base = copies, .stride = k, .first = whole, .n = n - whole};
  for (size_t m = whole; !copied && m < n; m++) memcpy(copies + (m - whole) * k, in + (first + m) * pixel, pixel);
  return 2;
}

// The table of all rows of a block, for sums of rows.
static void fill_table(const struct tvmq_conv *c, const struct part *parts, size_t n_parts, const void **table) {
  const size_t mr = c->choice.variant->mr, n_taps = c->choice.n_taps;
  for (const struct part *part = parts; part < parts + n_parts; part++) {  // behind one there is another only of one tap: they need not end with a tile
    for (size_t t = 0; t < n_taps; t++) {
      const uint8_t *row = part->base + tap_offset(matrix_of(c), t);
      const void **cells = table + (part->first * n_taps) + t * mr;
      for (size_t i = 0; i < part->n; i += mr, cells += n_taps * mr) {
        for (size_t j = 0; j < tvmq_min(part->n - i, mr); j++, row += part->stride) cells[j] = row;
      }
    }
  }
}

// What a thread computes a block with.
struct block {
  const struct tvmq_conv *conv;
  const uint8_t *panels;  // of the group
  uint8_t *out;           // of the block's first row and the group's first channel
  const int32_t *terms;   // NULL: there are none
  const void **taps;
  uint8_t *tile;
};

// The rows of a part, or a tile if these are fewer, times `n_panels` panels from `panel` on.
static void multiply(const struct block *b, const struct part *part, size_t panel, size_t n_panels, uint8_t *out, size_t out_stride) {
  if (n_panels == 0) return;
  const struct tvmq_conv *c = b->conv;
  const size_t mr = c->choice.variant->mr, row_tiles = tvmq_ceil_div(part->n, mr);
  for (size_t t = 0; t < c->choice.n_taps; t++) b->taps[t] = part->base + tap_offset(matrix_of(c), t);
  c->choice.variant->fn.gemm(&(struct tvmq_gemm_args){
      .rows = b->taps,
      .row_stride = part->stride,
      .row_tiles = row_tiles,
      .overlap = part->n < mr ? 0 : row_tiles * mr - part->n,
      .n_taps = c->choice.n_taps,
      .k = c->choice.k,
      .panel = b->panels + panel * c->choice.panel.size,
      .n_panels = n_panels,
      .panel_bytes = c->choice.panel.size,
      .row_terms = b->terms ? b->terms + part->first : NULL,
      .out = out,
      .out_stride = out_stride,
      .stage = &c->stage,
  });
}

// Copies `count` rows of `n` bytes, without a call for the usual ones.
static void copy_rows(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, size_t count, size_t n) {
  enum { PIECE = 32, CALLED = 256 };
  if (n % PIECE == 0 && n < CALLED) {
    for (; count > 0; count--, to += to_stride, from += from_stride) {
      for (size_t i = 0; i < n; i += PIECE) memcpy(to + i, from + i, PIECE);
    }
  } else {
    for (; count > 0; count--, to += to_stride, from += from_stride) tvmq_copy_pixel(to, from, n);
  }
}

// Copies the first `n` channels of those of rows [first, end) that belong to lines; `from` is the first row's.
static void copy_out(const struct matrix *x, const uint8_t *from, size_t from_stride, size_t first, size_t end, size_t n, uint8_t *out, size_t out_stride) {
  if (x->pitch == x->line_rows) {
    copy_rows(out + first * out_stride, out_stride, from, from_stride, end - first, n);
    return;
  }
  for (size_t m = first; m < end; m += x->pitch, from += x->pitch * from_stride, out += x->line_rows * out_stride)
    copy_rows(out, out_stride, from, from_stride, tvmq_min(x->line_rows, end - m), n);
}

// The same by way of scratch, from where what belongs to the output is copied.
static void multiply_aside(const struct block *b, const struct part *part, size_t panel, size_t end_panel) {
  const struct matrix *x = matrix_of(b->conv);
  const size_t nr = b->conv->choice.variant->layout.nr, out_stride = (size_t)b->conv->problem.desc.out_c;
  for (size_t p = panel, panels; p < end_panel; p += panels) {
    panels = tvmq_min(end_panel - p, x->tile_panels);
    multiply(b, part, p, panels, b->tile, panels * nr);
    const size_t channels = tvmq_min(b->conv->problem.group_n - p * nr, panels * nr);
    copy_out(x, b->tile, panels * nr, part->first, part->first + part->n, channels, b->out + p * nr, out_stride);
  }
}

static size_t n_tasks(const struct tvmq_conv *c, size_t pass) {
  const struct matrix *x = matrix_of(c);
  return pass > 0 ? 0 : c->problem.groups * x->images * c->choice.blocks.m_blocks * c->choice.blocks.n_blocks;
}

static void run_task(const struct tvmq_conv *c, const struct tvmq_pass *pass, struct tvmq_task block) {
  const struct matrix *x = matrix_of(c);
  const struct tvmq_blocks *blocks = &c->choice.blocks;
  const size_t mr = c->choice.variant->mr, nr = c->choice.variant->layout.nr, group_n = c->problem.group_n, out_stride = (size_t)c->problem.desc.out_c;
  uint8_t *scratch = tvmq_conv_scratch(c, block.thread);
  const void **table = (const void **)(scratch + x->slice.table);
  int32_t *terms = (int32_t *)(scratch + x->slice.terms);

  const size_t n_block = block.index % blocks->n_blocks, m_blocks = block.index / blocks->n_blocks, m_block = m_blocks % blocks->m_blocks;
  const size_t image = m_blocks / blocks->m_blocks % x->images, group = m_blocks / blocks->m_blocks / x->images;
  const size_t first = m_block * blocks->rows, n_lines = tvmq_min(x->image_lines - first, blocks->rows);
  struct part parts[2];
  const bool has_rows = tvmq_has_rows(blocks, &block);
  const size_t n_parts = bring_rows(c, pass->in[0], group, image, first, n_lines, has_rows, scratch + x->slice.copies, parts);
  if (x->row_sums && !has_rows) {
    fill_table(c, parts, n_parts, table);
    tvmq_conv_row_terms(c, x->row_sums, (const void *const *)table, rows_of(x, n_lines), 0, terms);
  }

  const struct block b = {
      .conv = c,
      .panels = c->packed + group * c->choice.panels * c->choice.panel.size,
      .out = (uint8_t *)pass->out + (image * x->image_lines + first) * x->line_rows * out_stride + group * group_n,
      .terms = x->row_sums ? terms : NULL,
      .taps = (const void **)(scratch + x->slice.taps),
      .tile = scratch + x->slice.tile,
  };
  // What overhangs the output, or reaches over the gap between lines, goes by way of scratch.
  const size_t panel = n_block * blocks->panels, end_panel = tvmq_min(panel + blocks->panels, c->choice.panels),
               whole_panels = tvmq_min(end_panel, group_n / nr);
  for (const struct part *part = parts; part < parts + n_parts; part++) {
    const size_t direct = part->n >= mr && x->pitch == x->line_rows ? whole_panels - panel : 0;
    if (part->n == 0) continue;
    multiply(&b, part, panel, direct, b.out + part->first * out_stride + panel * nr, out_stride);
    multiply_aside(&b, part, panel + direct, end_panel);
  }
}

static const char *name_in_place(const struct tvmq_conv *c) { return (void)c, "rows"; }
static const char *name_padding(const struct tvmq_conv *c) { return (void)c, "padded copy"; }
static const char *name_im2col(const struct tvmq_conv *c) { return (void)c, "im2col"; }

const struct tvmq_conv_way tvmq_conv_in_place = {.id = TVMQ_WAY_MATRIX,
                                                 .choose = choose_in_place,
                                                 .work = work,
                                                 .pack = tvmq_conv_pack_pieces,
                                                 .plan_bytes = sizeof(struct matrix),
                                                 .plan = plan,
                                                 .n_tasks = n_tasks,
                                                 .run_task = run_task,
                                                 .name = name_in_place};
const struct tvmq_conv_way tvmq_conv_by_padding = {.id = TVMQ_WAY_PADDED_COPY,
                                                   .choose = choose_padding,
                                                   .work = work,
                                                   .pack = tvmq_conv_pack_pieces,
                                                   .plan_bytes = sizeof(struct matrix),
                                                   .plan = plan,
                                                   .n_tasks = n_tasks,
                                                   .run_task = run_task,
                                                   .name = name_padding};
const struct tvmq_conv_way tvmq_conv_by_matrix_im2col = {.id = TVMQ_WAY_MATRIX_IM2COL,
                                                         .choose = choose_im2col,
                                                         .work = work,
                                                         .pack = tvmq_conv_pack_pieces,
                                                         .plan_bytes = sizeof(struct matrix),
                                                         .plan = plan,
                                                         .n_tasks = n_tasks,
                                                         .run_task = run_task,
                                                         .name = name_im2col};
