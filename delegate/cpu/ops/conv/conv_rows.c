#include "cpu/ops/conv/conv_rows.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"

static bool is_pointwise(const struct tvmq_conv_problem *p) {
  const struct tvmq_conv_desc *d = &p->desc;
  const struct tvmq_geometry *g = &p->geometry;
  return d->filter_h == 1 && d->filter_w == 1 && d->stride_h == 1 && d->stride_w == 1 && g->pad_top == 0 && g->pad_left == 0 && g->out_h == d->in_h &&
         g->out_w == d->in_w;
}

struct tvmq_rows tvmq_conv_rows(const struct tvmq_conv_problem *p) {
  // If each output pixel reads the input pixel at its own place, all lines of an image are one long line.
  const size_t lines = is_pointwise(p) ? (size_t)p->geometry.out_h : 1;
  return (struct tvmq_rows){
      .in_h = (size_t)p->desc.in_h / lines,
      .in_w = (size_t)p->desc.in_w * lines,
      .pixel_bytes = (size_t)p->desc.in_c * p->element_bytes,
      .tap_bytes = (size_t)p->desc.filter_c * p->element_bytes,
      .out_h = (size_t)p->geometry.out_h / lines,
      .out_w = (size_t)p->geometry.out_w * lines,
      .filter_h = (size_t)p->desc.filter_h,
      .filter_w = (size_t)p->desc.filter_w,
      .stride_h = (size_t)p->desc.stride_h,
      .stride_w = (size_t)p->desc.stride_w,
      .dilation_h = (size_t)p->desc.dilation_h,
      .dilation_w = (size_t)p->desc.dilation_w,
      .pad_top = (size_t)p->geometry.pad_top,
      .pad_left = (size_t)p->geometry.pad_left,
      .pad_right = (size_t)tvmq_pad_behind(p->desc.in_w, p->geometry.pad_left, p->geometry.out_w, p->desc.filter_w, p->desc.stride_w, p->desc.dilation_w),
      .piece_taps = p->desc.dilation_w == 1 && p->groups == 1 ? (size_t)p->desc.filter_w : 1,
  };
}

bool tvmq_conv_is_matrix(const struct tvmq_conv_problem *p) { return p->groups == 1 && is_pointwise(p); }

struct tvmq_gemm_problem tvmq_conv_gemm_problem(const struct tvmq_conv_problem *p, const struct tvmq_conv_algorithm *algorithm,
                                                const struct tvmq_target *target, size_t n_taps, size_t k) {
  return (struct tvmq_gemm_problem){
      .m = p->m,
      .n = p->group_n,
      .k = k,
      .n_taps = n_taps,
      .acc_bytes = tvmq_conv_acc_bytes(&p->desc),
      .target = *target,
      .excluded = p->excluded | algorithm->excluded,
      .required = algorithm->required | (p->quant.stage.sums ? TVMQ_SUMS : 0),
      .filter_zero_point = p->quant.filter_zero_point,
      .in_flip = p->quant.in_flip,
  };
}

size_t tvmq_conv_at_sides(const struct tvmq_rows *rows) {
  if (rows->piece_taps < rows->filter_w) return 0;  // pieces are single taps, each inside or outside the image
  const size_t room = rows->in_w + rows->pad_left;  // pixels for windows, from the start of the first window on
  const size_t begin = tvmq_ceil_div(rows->pad_left, rows->stride_w), end = room < rows->filter_w ? 0 : (room - rows->filter_w) / rows->stride_w + 1;
  const size_t whole_end = tvmq_min(end, rows->out_w);
  return rows->out_w - (whole_end > begin ? whole_end - begin : 0);
}

static size_t pieces_at_sides(const struct tvmq_rows *rows, size_t n_pieces) { return n_pieces / rows->out_w * tvmq_conv_at_sides(rows); }

float tvmq_conv_table_cycles(const struct tvmq_conv_problem *p, const struct tvmq_machine *machine) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const size_t n_pieces = p->m * tvmq_rows_pieces(&rows);
  if (tvmq_conv_is_matrix(p)) return (float)n_pieces * machine->list_cycles;
  return (float)n_pieces * machine->pointer_cycles +
         (float)pieces_at_sides(&rows, n_pieces) * fmaxf(0, machine->side_piece_cycles - machine->copied_piece_cycles);
}

float tvmq_conv_im2col_cycles(const struct tvmq_conv_problem *p, const struct tvmq_machine *machine) {
  const struct tvmq_rows rows = tvmq_conv_rows(p);
  const size_t n_pieces = p->m * tvmq_rows_pieces(&rows), at_sides = pieces_at_sides(&rows, n_pieces);
  if (tvmq_rows_moved(&rows)) return (float)at_sides * machine->side_piece_cycles + (float)(n_pieces - at_sides) * machine->moved_piece_cycles;
  return (float)at_sides * machine->side_piece_cycles + tvmq_conv_copy_cycles(n_pieces - at_sides, n_pieces * tvmq_rows_piece_bytes(&rows), machine);
}

// The order of weights in the filter is the order of the row's pieces, for every kind of piece.
void tvmq_conv_pack_pieces(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, struct tvmq_channel *channels,
                           const struct tvmq_channel_params *params, size_t n, void *panel) {
  (void)problem;
  const size_t piece = channels->n_taps * channels->n_depths / choice->n_taps;
  const size_t step = channels->tap_stride / channels->n_depths;  // bytes from each weight to the next
  for (size_t j = 0; j < n; j++) {
    channels[j].n_taps = choice->n_taps;
    channels[j].n_depths = piece;
    channels[j].tap_stride = piece * step;
    channels[j].depth_stride = step;
  }
  tvmq_pack_panel(&choice->variant->layout, channels, params, n, panel);
}

const struct tvmq_variant *tvmq_conv_row_sums(const struct tvmq_conv *c, const struct tvmq_env *env) {
  const struct tvmq_target target = tvmq_target(env);
  const struct tvmq_gemm_problem gemm = tvmq_conv_gemm_problem(&c->problem, c->choice.algorithm, &target, c->choice.n_taps, c->choice.k);
  float cycles;
  return tvmq_select_row_sums(c->choice.variant, &gemm, &cycles);
}

void tvmq_conv_row_terms(const struct tvmq_conv *c, const struct tvmq_variant *row_sums, const void *const *table, size_t n, uint8_t in_flip, int32_t *terms) {
  const struct tvmq_variant *v = c->choice.variant;
  if (!row_sums) {
    memset(terms, 0, n * sizeof *terms);
    return;
  }
  // Row sums treat the operand's bytes as unsigned; mask and offset correct an int8 operand, whose bytes are 128 too
  // large.
  const struct tvmq_conv_desc *desc = &c->problem.desc;
  const size_t depths = (size_t)desc->filter_h * (size_t)desc->filter_w * (size_t)desc->filter_c;
  const bool is_signed = v->layout.a_offset == 0;
  row_sums->fn.row_sums(&(struct tvmq_row_sums_args){
      .rows = table,
      .n = n,
      .mr = v->mr,
      .n_taps = c->choice.n_taps,
      .k = depths / c->choice.n_taps,
      .mask = in_flip ^ (is_signed ? 0x80 : 0),
      .offset = is_signed ? (int32_t)(128 * (uint32_t)depths) : 0,
      .factor = -c->problem.quant.filter_zero_point,
      .terms = terms,
  });
}
