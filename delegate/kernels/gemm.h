// Products of rows of activations and panels of weights.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"

// ---- gemm: out[m][n] = requantize(bias[n] + row_terms[m] + sum over taps t and depths k of rows[t][m][k] * weights[t][k][n])
//
// One call computes row_tiles * mr rows of one panel of nr channels. Tile i reads the pointers rows[i * n_taps * mr + t * mr + r], r < mr, each to k elements.
// A caller with fewer rows repeats the last valid pointer; it gives `out` room for all row_tiles * mr rows of nr elements, or of `wanted` where the kernel has
// TVMQ_NARROW.
//
// Kernels with TVMQ_MATRIX_ROWS read a pointer a tap: rows[t] is the first of row_tiles * mr rows, row_stride bytes apart, less those that the last tile shares
// with the one before. Their in_flip is 0. They compute n_panels panels, each nr channels behind the last.
//
// Those with TVMQ_LINES flip, and compute n_lines times as many: a line lies line_stride bytes behind the last, its row terms follow, its output lies
// out_line_stride bytes behind.
//
// Those with TVMQ_GAPS take rows in lines of pitch rows, the first line_rows of which are wanted: row m is stored at row m - m / pitch * (pitch - line_rows) of
// the output. A row between lines may be stored there too, where the next line's row m + pitch - line_rows goes later. No gap is longer than a line. What tiles
// compute beyond the last wanted row may be stored behind it, where `out` has room.
//
// Kernels with TVMQ_ZIPPED_ROWS, whose tiles have eight rows, read a tile at its first pointer, rows[i * n_taps * mr]: eight depths of each row, then the next
// eight, from tap to tap. The other pointers are not looked at. Their in_flip is 0.
struct tvmq_gemm_args {
  const void *const *rows;
  size_t row_stride;  // TVMQ_MATRIX_ROWS: bytes from a row to the next
  size_t row_tiles, n_taps;
  size_t overlap;  // TVMQ_MATRIX_ROWS: rows that the last tile shares with the one before, less than mr; 0 for a single tile
  size_t k;        // elements per tap, a multiple of the layout's ku
  const void *panel;
  size_t wanted;                                 // TVMQ_NARROW: channels of the last panel that are stored, from 1 to nr; whole vectors of them are computed
  size_t n_panels, panel_bytes;                  // TVMQ_MATRIX_ROWS: panels to compute, and bytes from one to the next
  size_t n_lines, line_stride, out_line_stride;  // TVMQ_LINES
  size_t pitch, line_rows;                       // TVMQ_GAPS; a pitch of 0: all rows are wanted
  bool panel_follows;                            // another panel lies behind this one, and will be wanted next: it may be fetched ahead
  const int32_t *row_terms;  // [rows]: what a filter zero point owes for the row, else zeros; in 16x8 less than 2^23 in size. TVMQ_MATRIX_ROWS
                             // takes NULL for zeros
  bool no_row_terms;         // all of them are zero, and need not be read
  void *out;
  size_t out_stride;  // bytes between output rows
  uint8_t in_flip;    // xor on each input byte
  const struct tvmq_stage *stage;
};
typedef void (*tvmq_gemm_fn)(const struct tvmq_gemm_args *args);
