// The activation side of a gemm: where the rows of A lie.
//
// Row m of A is the window of output pixel m: n_taps pieces of `tap_bytes` bytes each. Either a table points at the pieces where they lie in the input tensor
// (padding taps point at a pixel of zero points), or the pieces are copied side by side ("im2col") and one pointer a row is left.
//
// Table of one block, for mr = 2 and a filter with 3 taps; each cell is a pointer, numbers are the order in memory:
//
//                 tap 0   tap 1   tap 2
//   tile 0 row 0    0       2       4
//          row 1    1       3       5
//   tile 1 row 0    6       8      10
//          row 1    7       9      11
//
// Rows past the last repeat it, so that a kernel may always compute whole tiles.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Fixed when planning. Sizes in bytes unless named otherwise.
struct tvmq_rows {
  size_t in_h, in_w;    // pixels
  size_t pixel_bytes;   // from one input pixel to the next, all groups
  size_t tap_bytes;     // of one pixel that belong to a tap: one group's channels
  size_t out_h, out_w;  // pixels of one image
  size_t filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w;
  size_t pad_top, pad_left;
  const uint8_t *padding;  // tap_bytes bytes of zero points
};

// Fills the table of rows [first, first + n) of A, tiled by `mr`, for an input tensor whose group begins at `in`. Rows count over the whole batch.
// `table` has room for ceil(n / mr) * n_taps * mr pointers.
void tvmq_rows_table(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, size_t mr, const void **table);

// Copies the same rows to `out`, `row_bytes` >= n_taps * tap_bytes apart. Bytes past n_taps * tap_bytes are left as they are.
void tvmq_rows_im2col(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, uint8_t *out, size_t row_bytes);

// Flips `n` bytes where they lie.
void tvmq_rows_flip(uint8_t *bytes, size_t n, uint8_t flip);

// Widens `n` bytes, flipped to int8, to int16.
void tvmq_rows_widen(const uint8_t *in, size_t n, uint8_t flip, int16_t *out);

// Fills the table of a matrix: one pointer a row, rows `row_bytes` apart.
void tvmq_rows_list(const void *matrix, size_t row_bytes, size_t n, size_t mr, const void **table);
