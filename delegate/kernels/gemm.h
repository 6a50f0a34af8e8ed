// Matrix products: rows of activations by panels of weights.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"

// ---- gemm: out[m][n] = requantize(bias[n] + row_terms[m] + sum over taps t and depths k of rows[t][m][k] * weights[t][k][n])
//
// One call computes row_tiles * mr rows of one panel of nr channels. Tile i reads the pointers rows[i * n_taps * mr + t * mr + r], r < mr, each to k elements.
// A caller with fewer rows repeats the last valid pointer. `out` must have room for row_tiles * mr rows of nr elements each; with TVMQ_NARROW, of `wanted`
// elements each.
//
// Kernels with TVMQ_MATRIX_ROWS read one pointer for each tap: rows[t] points at the first row, and rows are row_stride bytes apart. There are row_tiles * mr -
// overlap rows: the last tile computes `overlap` rows of the previous tile again. in_flip is 0. A call computes n_panels panels; the outputs of each panel lie
// nr channels after those of the previous one.
//
// Kernels with TVMQ_MATRIX_ROWS and TVMQ_LINES apply in_flip and compute n_lines lines, each with that number of rows. Each line begins line_stride bytes after
// the previous one, and its output out_line_stride bytes after the previous output. The row terms of all lines are contiguous.
//
// Kernels with TVMQ_MATRIX_ROWS and TVMQ_GAPS read lines of `pitch` rows, of which only the first line_rows are wanted. The remaining rows of a line are its
// gap: no output needs them, and pitch - line_rows <= line_rows. Row m is stored at output row m - m / pitch * (pitch - line_rows). A kernel may store a gap
// row by the same formula. Row m + pitch - line_rows, a wanted row of the next line, later overwrites that output row. Rows after the last wanted row may also
// be stored, and `out` must have room.
//
// Kernels with TVMQ_ZIPPED_ROWS have tiles of eight rows and read tile i only through its first pointer, rows[i * n_taps * mr]. The bytes there are eight
// depths of each row, then the next eight depths of each row, through all taps. in_flip is 0.
struct tvmq_gemm_args {
  const void *const *rows;
  size_t row_stride;  // TVMQ_MATRIX_ROWS: bytes from a row to the next
  size_t row_tiles, n_taps;
  size_t overlap;  // TVMQ_MATRIX_ROWS: rows that the last tile shares with the one before, less than mr; 0 for a single tile
  size_t k;        // elements per tap, a multiple of the layout's ku
  const void *panel;
  size_t wanted;                                 // TVMQ_NARROW: channels of the last panel to store, from 1 to nr; the kernel computes whole vectors
  size_t n_panels, panel_bytes;                  // TVMQ_MATRIX_ROWS: panels to compute, and bytes from one to the next
  size_t n_lines, line_stride, out_line_stride;  // TVMQ_LINES
  size_t pitch, line_rows;                       // TVMQ_GAPS; a pitch of 0: all rows are wanted
  bool panel_follows;                            // the next call's panel lies directly after this one, so the kernel may prefetch it
  const int32_t *row_terms;                      // [rows]: correction of each row for the filter zero point, or zeros; 16x8: |term| < 2^23. NULL with
                                                 // TVMQ_MATRIX_ROWS: all zeros
  bool no_row_terms;                             // all row terms are zero, so the kernel need not read them
  void *out;
  size_t out_stride;  // bytes between output rows
  uint8_t in_flip;    // xor on each input byte
  const struct tvmq_stage *stage;
};
typedef void (*tvmq_gemm_fn)(const struct tvmq_gemm_args *args);
