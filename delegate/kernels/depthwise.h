// Convolutions of each channel by itself.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "base/inline.h"

// ---- depthwise: out[y][x][c] = requantize(bias[c] + sum over ky, kx of pixels[y * stride_h + ky][x * stride_w + kx][c] * weights[ky][kx][c])
//
// One call computes n_rows output rows of n_cols pixels for n_blocks blocks of nr channels, side by side, some rows perhaps twice: tiles of mr rows may
// overlap. `pixels` is a table of pointers to channel 0 of each input pixel, row by row (the caller builds it for a strip of output rows); padding pixels point
// at a vector of zero points. A kernel reads nr channels of each pixel and writes nr of each output pixel: a caller with fewer copies the block aside.
struct tvmq_depthwise_args {
  const void *const *pixels;  // output pixel (y, x) reads [(y * stride_h + ky) * pixels_stride + x * stride_w + kx]; a column may lie behind whole rows
  size_t pixels_stride;       // pointers between table rows
  size_t channel_offset;      // bytes from each pixel pointer to the first channel
  size_t n_rows, n_cols;      // n_rows >= mr
  size_t filter_h, filter_w, stride_h, stride_w;
  int32_t filter_zero_point;  // kr = 1 and int8 weights: times the sum of the window's pixels, subtracted
  size_t n_planes;            // vertical layouts: planes of weights, all for the same pixels
  size_t n_blocks;
  const void *panel;   // of the first block
  size_t panel_bytes;  // to the next one
  void *out;
  size_t out_col_stride, out_row_stride;  // bytes
  uint8_t in_flip;
  const struct tvmq_stage *stage;
};
typedef void (*tvmq_depthwise_fn)(const struct tvmq_depthwise_args *args);

// Kernels compute a call's tiles one after the other: row 0, the rows that this returns, until it returns n_rows. The last tile may overlap the one before.
static inline size_t tvmq_next_tile(size_t row, size_t mr, size_t n_rows) {
  const size_t next = row + mr;
  return next >= n_rows || next + mr <= n_rows ? next : n_rows - mr;
}

// Computes a call with a function for one tile of one block, of `block_bytes` bytes of a pixel.
TVMQ_INLINE void tvmq_depthwise_tiles(const struct tvmq_depthwise_args *args, size_t mr, size_t block_bytes, tvmq_depthwise_fn compute) {
  struct tvmq_depthwise_args tile = *args;
  tile.n_rows = mr;
  tile.n_blocks = 1;
  for (size_t block = 0; block < args->n_blocks; block++) {
    for (size_t row = 0; row < args->n_rows; row = tvmq_next_tile(row, mr, args->n_rows)) {
      tile.pixels = args->pixels + row * args->stride_h * args->pixels_stride;
      tile.out = (char *)args->out + block * block_bytes * tvmq_stored_bytes(args->stage) + row * args->out_row_stride;
      compute(&tile);
    }
    tile.channel_offset += block_bytes;
    tile.panel = (const char *)tile.panel + args->panel_bytes;
  }
}
