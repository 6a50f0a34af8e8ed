// Depthwise convolution: each channel is convolved separately.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "base/inline.h"

// ---- depthwise: out[y][x][c] = requantize(bias[c] + sum over ky, kx of
//                    pixels[y * stride_h + ky][x * stride_w + kx][c] * weights[ky][kx][c])
//
// One call computes n_rows output rows of n_cols pixels for n_blocks adjacent blocks of nr channels. Tiles of mr rows
// may overlap, so that some rows are computed twice. `pixels` is a table of pointers to channel 0 of each input pixel,
// row by row; the caller builds the table for a strip of output rows. Padding pixels point to a vector of zero points.
// A kernel reads nr channels of each pixel and writes nr of each output pixel. A caller with fewer channels copies the
// block to a buffer of nr channels.
struct tvmq_depthwise_args {
  const void *const *pixels;  // output pixel (y, x) reads the table from [(y * stride_h + ky) * pixels_stride + x *
                              // stride_w + kx] on; stride_w may exceed pixels_stride, so that neighbouring columns are
                              // some table rows apart
  size_t pixels_stride;       // pointers from a table row to the next
  size_t channel_offset;      // bytes from each pixel pointer to the first channel
  size_t n_rows, n_cols;      // n_rows >= mr
  size_t filter_h, filter_w, stride_h, stride_w;
  int32_t filter_zero_point;  // kr = 1 and int8 weights: the kernel subtracts it times the sum of the window's pixels
  size_t n_planes;            // vertical layouts: planes of weights, all applied to the same pixels
  size_t n_blocks;            // at least one
  const void *panel;          // panel of the first block
  size_t panel_bytes;         // bytes from a panel to the next
  void *out;
  size_t out_col_stride, out_row_stride;  // bytes
  uint8_t in_flip;
  const struct tvmq_stage *stage;
};
typedef void (*tvmq_depthwise_fn)(const struct tvmq_depthwise_args *args);

// Returns the first row of the tile after the one at `row`, or n_rows if there is none. The first tile is at row 0. The
// last tile may overlap the previous one.
static inline size_t tvmq_next_tile(size_t row, size_t mr, size_t n_rows) {
  const size_t next = row + mr;
  return next >= n_rows || next + mr <= n_rows ? next : n_rows - mr;
}

// Computes a call tile by tile. `compute` computes one tile of one block; a block takes `block_bytes` bytes of a pixel.
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
