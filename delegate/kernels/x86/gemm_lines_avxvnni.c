// GEMM on AVX-VNNI for lines of rows at a constant distance (TVMQ_LINES): the tile of gemm_avxvnni.c with computed
// pointers.
#include "kernels/x86/vex.h"

#define MULTIPLY_ADD TVMQ_VEX "vpdpbusd %2, %1, %0"
#define TEMPORARIES 0
#define OPERAND_BYTES 1
#include "kernels/x86/gemm_avx2_tile.h"

enum { ROWS = 6 };

TVMQ_INLINE void multiply_lines(const struct tvmq_gemm_args *args, const char *panel, uint8_t *out, bool is_last, bool flips, enum tvmq_path path) {
  static const int32_t no_terms[ROWS];
  const struct outputs o = outputs_of(args, panel, path);
  struct tvmq_fetch next = is_last ? (struct tvmq_fetch){panel, 0} : (struct tvmq_fetch){panel + args->panel_bytes, VECTORS * VECTOR_BYTES / TVMQ_FETCH_TILES};
  const size_t n_rows = args->row_tiles * ROWS - args->overlap, stride = args->row_stride;
  size_t tiles = 0;
  for (size_t line = 0; line < args->n_lines; line++, out += args->out_line_stride) {
    for (size_t tile = 0; tile < args->row_tiles; tile++) {
      __m256i acc[MAX_ROWS][VECTORS];
      const size_t first = tvmq_min(tile * ROWS, n_rows - ROWS);
      const char *weights = panel + CHANNELS * sizeof(int32_t);
      if (tiles++ == TVMQ_FETCH_TILES) next.step = 0;
      load_bias((const int32_t *)panel, args->row_terms ? args->row_terms + line * n_rows + first : no_terms, ROWS, acc, path);
      for (size_t t = 0; t < args->n_taps; t++) {
        const char *const row = (const char *)args->rows[t] + line * args->line_stride + first * stride;
        const char *const x[MAX_ROWS] = {row, row + stride, row + 2 * stride, row + 3 * stride, row + 4 * stride, row + 5 * stride};
        weights = multiply_tap(args, x, weights, flips, ROWS, &next, acc);
      }
      store_tile(&o, acc, out + first * args->out_stride, args->out_stride, ROWS, path);
    }
  }
}

// The flip is decided once per call, the path of the output stage once per panel.
void tvmq_gemm_s8_6x16c4l__avxvnni(const struct tvmq_gemm_args *args) {
  const char *panel = args->panel;
  uint8_t *out = args->out;
  for (size_t left = args->n_panels; left > 0; left--, panel += args->panel_bytes, out += CHANNELS * tvmq_stored_bytes(args->stage)) {
    const enum tvmq_path path = tvmq_panel_path(args->stage, (const int32_t *)(panel + CHANNELS * (sizeof(int32_t) + args->n_taps * args->k)));
    if (args->in_flip != 0)
      TVMQ_FOR_PATH_OR_SUMS(path, multiply_lines, args, panel, out, left == 1, true);
    else
      TVMQ_FOR_PATH_OR_SUMS(path, multiply_lines, args, panel, out, left == 1, false);
  }
}
