#include "algorithm.h"

// Cost of bringing one row of A to the kernel, in cycles: per pointer of a table, per copied piece, and per copied or widened byte.
static const float CYCLES_PER_POINTER = 2.0f, CYCLES_PER_PIECE = 6.0f, CYCLES_PER_COPIED_BYTE = 0.15f, CYCLES_PER_WIDENED_BYTE = 0.15f;

// Kernels that cannot read rows where they lie in the input.
enum { COPIED_ROWS = TVMQ_WIDE_ROWS | TVMQ_MATRIX_ROWS };

static struct tvmq_algorithm by_table(const struct tvmq_conv_problem *p) {
  struct tvmq_gemm_problem gemm = {
      .m = p->m,
      .n = p->n,
      .k = p->k,
      .n_taps = p->n_pieces,
      .acc_bytes = p->acc_bytes,
      .exact_k = true,
      .cpu = p->cpu,
      .excluded = p->excluded | COPIED_ROWS,
  };
  struct tvmq_algorithm a = {.way = TVMQ_WAY_TABLE, .k = p->k, .n_taps = p->n_pieces, .copies = p->piece_taps > 1};
  a.variant = tvmq_select_gemm(p->family, &gemm, &a.cycles);
  a.cycles += (float)p->m * (float)p->n_pieces * CYCLES_PER_POINTER;
  return a;
}

static struct tvmq_algorithm by_im2col(const struct tvmq_conv_problem *p) {
  size_t k = p->n_pieces * p->k;
  struct tvmq_gemm_problem gemm = {.m = p->m, .n = p->n, .k = k, .n_taps = 1, .acc_bytes = p->acc_bytes, .cpu = p->cpu, .excluded = p->excluded};
  struct tvmq_algorithm a = {.way = TVMQ_WAY_IM2COL, .n_taps = 1};
  a.variant = tvmq_select_gemm(p->family, &gemm, &a.cycles);
  if (!a.variant) return a;
  a.k = (k + a.variant->layout.ku - 1) / a.variant->layout.ku * a.variant->layout.ku;
  // A last tile that overhangs reads on behind the rows that the others repeat: only a copy has room for it.
  a.copies = !p->is_matrix || a.k != k || (a.variant->flags & TVMQ_MATRIX_ROWS) != 0;
  a.cycles += (float)p->m * CYCLES_PER_POINTER;
  if (a.copies) a.cycles += (float)p->m * ((float)p->n_pieces * CYCLES_PER_PIECE + (float)k * CYCLES_PER_COPIED_BYTE);
  if (a.variant->flags & TVMQ_WIDE_ROWS) a.cycles += (float)p->m * (float)a.k * CYCLES_PER_WIDENED_BYTE;
  return a;
}

struct tvmq_algorithm tvmq_algorithm_choose(const struct tvmq_conv_problem *problem) {
  static struct tvmq_algorithm (*const ways[])(const struct tvmq_conv_problem *) = {by_table, by_im2col};
  struct tvmq_algorithm best = {0};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct tvmq_algorithm a = ways[i](problem);
    if (a.variant && (!best.variant || a.cycles < best.cycles)) best = a;
  }
  return best;
}

const char *tvmq_algorithm_name(const struct tvmq_algorithm *algorithm) {
  if (algorithm->way == TVMQ_WAY_IM2COL) return algorithm->copies ? "im2col" : "rows";
  return algorithm->n_taps == 1 ? "rows" : "row table";
}
