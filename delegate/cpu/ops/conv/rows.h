// The activation side of a gemm: where the rows of A lie.
//
// Row m of A is the window of output pixel m, in pieces that lie in one place of the input: a whole filter row where its taps lie side by side, else a tap.
// Either a table points at the pieces (a filter row that leaves the image at its sides is copied, padding included; one above or below points at zero points),
// or all pieces of a row are copied side by side ("im2col") and one pointer a row is left.
//
// Table of one block, for mr = 2 and a filter of 3 pieces; each cell is a pointer, numbers are the order in memory:
//
//                piece 0  piece 1  piece 2
//   tile 0 row 0    0        2        4
//          row 1    1        3        5
//   tile 1 row 0    6        8       10
//          row 1    7        9       11
//
// A kernel may always compute whole tiles: the last one ends with the last row, so that it begins with rows of the tile before. Where there are fewer than mr
// rows, the last is repeated. For mr = 4 and 6 rows, tiles have rows 0 1 2 3 and 2 3 4 5.
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
  size_t pad_top, pad_left, pad_right;
  size_t piece_taps;       // taps of a piece: filter_w, or 1 where taps of a filter row do not lie side by side
  const uint8_t *padding;  // a piece of zero points, and at least TVMQ_ROWS_MOVE of them
};

enum { TVMQ_ROWS_MOVE = 32 };

static inline size_t tvmq_rows_pieces(const struct tvmq_rows *rows) { return rows->filter_h * rows->filter_w / rows->piece_taps; }
static inline size_t tvmq_rows_piece_bytes(const struct tvmq_rows *rows) { return rows->piece_taps * rows->tap_bytes; }

// Fills the table of rows [first, first + n) of A, tiled by `mr`, for an input tensor whose group begins at `in`. Rows count over the whole batch. `table` has
// room for ceil(n / mr) * mr rows of pointers to all pieces. Pieces that are copied go to `copies`, which has room for n whole rows, unless piece_taps is 1.
void tvmq_rows_table(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, size_t mr, uint8_t *copies, const void **table);

// Copies the same rows to `out`, `row_bytes` apart, at least as far as all pieces take. Bytes between rows may be written.
void tvmq_rows_im2col(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, uint8_t *out, size_t row_bytes);

// Whether the pieces are so short, and lie so, that most are copied by one move each.
bool tvmq_rows_moved(const struct tvmq_rows *rows);

// Pixels of the input, counted over the whole batch, that rows [first, first + n) of A read lie in [begin, end): part of a line if they all lie in one, else
// whole lines.
struct tvmq_pixel_range {
  size_t begin, end;
};
struct tvmq_pixel_range tvmq_rows_pixels(const struct tvmq_rows *rows, size_t first, size_t n);

// Copies `n` bytes, flipped.
void tvmq_rows_flip(const uint8_t *in, size_t n, uint8_t flip, uint8_t *out);

// Widens `n` bytes, flipped to int8, to int16.
void tvmq_rows_widen(const uint8_t *in, size_t n, uint8_t flip, int16_t *out);

// Fills the table of a matrix: one pointer a row, rows `row_bytes` apart.
void tvmq_rows_list(const void *matrix, size_t row_bytes, size_t n, size_t mr, const void **table);

// Zips the tiles of a table for mr = 8 (TVMQ_ZIPPED_ROWS): eight depths of each row of a tile, flipped, then the next eight, from tap to tap; each tap has `k`
// depths, a multiple of eight. A tile's first pointer then points at its zipped rows. `out` has room for all depths of all rows of the tiles.
void tvmq_rows_zip(const void **table, size_t n_tiles, size_t n_taps, size_t k, uint8_t flip, uint8_t *out);
