// Portable gemm on rows at a constant distance (TVMQ_MATRIX_ROWS, and TVMQ_LINES). It stands in on processors without
// matrix registers or vectors, so that every test runs the code that packs such rows. It is never estimated to be the
// fastest.
#include <string.h>

#include "arithmetic/stage.h"
#include "base/arith.h"
#include "base/inline.h"
#include "kernels/kernel.h"

enum { MR = 4, NR = 8 };

// Returns the rows of a line.
static size_t rows_of(const struct tvmq_gemm_args *args) { return args->row_tiles * MR - args->overlap; }

// Returns the output row of row m of a line.
static size_t out_row(const struct tvmq_gemm_args *args, size_t m) { return args->pitch > 0 ? m - m / args->pitch * (args->pitch - args->line_rows) : m; }

// Computes one tile: the rows of a line from `first` on. Weights are in the order of gemm_c.c.
TVMQ_INLINE void tile(const struct tvmq_gemm_args *args, const char *panel, size_t line, size_t first, uint8_t *line_out, bool is_unsigned) {
  const int32_t *const bias = (const int32_t *)panel;
  const int8_t *weights = (const int8_t *)(bias + NR);
  const int32_t *const terms = args->row_terms ? args->row_terms + line * rows_of(args) : NULL;
  uint32_t acc[MR][NR];
  for (size_t m = 0; m < MR; m++) {
    for (size_t n = 0; n < NR; n++) acc[m][n] = (uint32_t)bias[n] + (terms ? (uint32_t)terms[first + m] : 0);
  }
  for (size_t t = 0; t < args->n_taps; t++) {
    const uint8_t *const rows = (const uint8_t *)args->rows[t] + line * args->line_stride + first * args->row_stride;
    for (size_t k = 0; k < args->k; k++, weights += NR) {
      for (size_t m = 0; m < MR; m++) {
        const uint8_t byte = rows[m * args->row_stride + k] ^ args->in_flip;
        const int32_t operand = is_unsigned ? byte : (int8_t)byte;
        for (size_t n = 0; n < NR; n++) acc[m][n] += (uint32_t)(operand * weights[n]);
      }
    }
  }
  const int32_t *const multiplier = (const int32_t *)weights, *const shift = multiplier + NR;
  for (size_t m = 0; m < MR; m++) {
    uint8_t *const out = line_out + out_row(args, first + m) * args->out_stride;
    if (args->stage->sums) memcpy(out, acc[m], sizeof acc[m]);
    for (size_t n = 0; n < NR && !args->stage->sums; n++)
      out[n] = (uint8_t)(tvmq_stage_s32(args->stage, (int32_t)acc[m][n], multiplier[n], shift[n]) ^ args->stage->flip);
  }
}

TVMQ_INLINE void gemm(const struct tvmq_gemm_args *args, size_t n_lines, bool is_unsigned) {
  for (size_t p = 0; p < args->n_panels; p++) {
    for (size_t line = 0; line < n_lines; line++) {
      uint8_t *const out = (uint8_t *)args->out + line * args->out_line_stride + p * NR * tvmq_stored_bytes(args->stage);
      for (size_t i = 0; i < args->row_tiles; i++) {
        const size_t first = tvmq_min(i * MR, rows_of(args) - MR);
        tile(args, (const char *)args->panel + p * args->panel_bytes, line, first, out, is_unsigned);
      }
    }
  }
}

void tvmq_gemm_s8_4x8m__c(const struct tvmq_gemm_args *args) { gemm(args, 1, false); }
void tvmq_gemm_s8_4x8mu__c(const struct tvmq_gemm_args *args) { gemm(args, 1, true); }
void tvmq_gemm_s8_4x8l__c(const struct tvmq_gemm_args *args) { gemm(args, args->n_lines, false); }
