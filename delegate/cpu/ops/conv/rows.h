// Rows of A: the activations of a gemm.
//
// Row m of A is the window of output pixel m, divided into pieces that are contiguous in the input. A piece is a whole
// filter row if the taps of a filter row are contiguous, else a tap. Either a table points to the pieces, or all pieces
// of a row are copied side by side ("im2col") and one pointer per row remains. In a table, a filter row that crosses
// the image's sides points to a padded copy. A filter row above or below the image points to zero points.
//
// Table of one block, for mr = 2 and a filter of 3 pieces. Each cell is a pointer; numbers are the order in memory:
//
//                piece 0  piece 1  piece 2
//   tile 0 row 0    0        2        4
//          row 1    1        3        5
//   tile 1 row 0    6        8       10
//          row 1    7        9       11
//
// A kernel may always compute whole tiles: the last tile ends with the last row, and repeats rows of the previous tile.
// If there are fewer than mr rows, the last row is repeated. For mr = 4 and 6 rows, the rows of the
// tiles are 0 1 2 3 and 2 3 4 5.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Set when planning. Sizes are in bytes unless stated otherwise.
struct tvmq_rows {
  size_t in_h, in_w;    // pixels
  size_t pixel_bytes;   // from one input pixel to the next, all groups
  size_t tap_bytes;     // bytes of a pixel that belong to a tap: the channels of one group
  size_t out_h, out_w;  // pixels of one image
  size_t filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w;
  size_t pad_top, pad_left, pad_right;
  size_t piece_taps;       // taps per piece: filter_w, or 1 if the taps of a filter row are not contiguous
  const uint8_t *padding;  // a piece of zero points, at least TVMQ_ROWS_MOVE bytes
};

enum { TVMQ_ROWS_MOVE = 32 };

static inline size_t tvmq_rows_pieces(const struct tvmq_rows *rows) { return rows->filter_h * rows->filter_w / rows->piece_taps; }
static inline size_t tvmq_rows_piece_bytes(const struct tvmq_rows *rows) { return rows->piece_taps * rows->tap_bytes; }

// Fills the table of rows [first, first + n) of A, in tiles of `mr` rows. `in`: the group's first channel in the input
// tensor. Rows are counted over the whole batch. `table` has room for pointers to all pieces of ceil(n / mr) * mr rows.
// Pieces at the image's sides are copied to `copies`, which has room for n whole rows; piece_taps = 1 needs no copies.
typedef void (*tvmq_rows_table_fn)(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, size_t mr, uint8_t *copies, const void **table);

// Returns the function for tiles of `mr` rows.
tvmq_rows_table_fn tvmq_rows_table_for(size_t mr);

// These functions: tvmq_rows_table_<MR> for the heights above 1 of the kernels in variants.def that read a table, and tvmq_rows_table_any for others, more
// slowly.
#define TVMQ_EACH_ROWS_TABLE(TABLE) TABLE(4) TABLE(6) TABLE(7) TABLE(8) TABLE(12) TABLE(16)
#define TVMQ_ROWS_TABLE(NAME) \
  void tvmq_rows_table_##NAME(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, size_t mr, uint8_t *copies, const void **table)
#define DECLARE(MR) TVMQ_ROWS_TABLE(MR);
TVMQ_EACH_ROWS_TABLE(DECLARE)
#undef DECLARE
TVMQ_ROWS_TABLE(any);

// Copies the same rows to `out`, `row_bytes` apart; row_bytes is at least the size of all pieces. Bytes between rows
// may be written, too.
typedef void (*tvmq_rows_copy_fn)(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, uint8_t *out, size_t row_bytes);
void tvmq_rows_im2col(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, uint8_t *out, size_t row_bytes);

// Returns whether the pieces are so short that a single move copies most of them.
bool tvmq_rows_moved(const struct tvmq_rows *rows);

// Returns the range of input pixels, counted over the whole batch, that rows [first, first + n) of A read: a part of a
// line if all are in one line, else whole lines.
struct tvmq_pixel_range {
  size_t begin, end;
};
struct tvmq_pixel_range tvmq_rows_pixels(const struct tvmq_rows *rows, size_t first, size_t n);

// Copies `n` bytes, each xor `flip`.
void tvmq_rows_flip(const uint8_t *in, size_t n, uint8_t flip, uint8_t *out);

// Converts `n` bytes, each xor `flip`, from int8 to int16.
void tvmq_rows_widen(const uint8_t *in, size_t n, uint8_t flip, int16_t *out);

// Fills the table of a matrix with one pointer per row; rows are `row_bytes` apart.
void tvmq_rows_list(const void *matrix, size_t row_bytes, size_t n, size_t mr, const void **table);

// Zips the tiles of a table with mr = 8 (TVMQ_ZIPPED_ROWS): writes eight depths of each row of a tile, flipped, then
// the next eight, through all taps. Each tap has `k` depths, a multiple of eight. Sets the first pointer of each tile
// to its zipped rows. `out` has room for all depths of all rows of the tiles.
void tvmq_rows_zip(const void **table, size_t n_tiles, size_t n_taps, size_t k, uint8_t flip, uint8_t *out);
