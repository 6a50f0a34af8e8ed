// Tables of pointers to pixels, which depthwise kernels read, and copies of pixels that kernels cannot read in place.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "operators/geometry.h"

// Grid of input points that starts at (y, x); neighbours are a dilation apart in each direction. Points outside the
// input are padding.
struct tvmq_pixel_grid {
  const struct tvmq_axis *h, *w;
  ptrdiff_t y, x;
  size_t rows, columns;
};

// Addresses of a grid's points: the address of the first point, even if it is outside the input, and the bytes from one
// point to the next.
struct tvmq_pixels {
  const uint8_t *origin;
  size_t row_step, column_step;
};

// Fills table[rows][columns] with pointers to the points, or to `padding` outside the input.
void tvmq_fill_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_pixels *pixels, const void *padding, const void **table);

// Fills table[rows][columns] for kernels that read `reach` adjacent points at each pointer, `pixel_bytes` bytes each.
// The dilation of the columns is 1. If `reach` points are in the input, the pointer refers to the input. For a row
// outside the input it refers to `padding`, which has `reach` points. Otherwise the points are copied to
// out[rows][columns]; kernels read beyond the end of its last columns.
void tvmq_copy_lines(const struct tvmq_pixel_grid *grid, const struct tvmq_pixels *pixels, const void *padding, size_t pixel_bytes, size_t reach, uint8_t *out,
                     const void **table);

// Prevents reads after the end of the input by kernels that need one pixel but read `reach` pixels at each pointer.
// Pointers in table[rows][columns] to the last `reach` - 1 pixels of the input, of `pixel_bytes` bytes each, are
// redirected to copies in `out`. Each copy has room for `reach` pixels.
void tvmq_copy_last_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_pixels *pixels, size_t pixel_bytes, size_t reach, uint8_t *out,
                           const void **table);

// Output channels [first, first + n) of a depthwise convolution; each input channel has `multiplier` output channels.
struct tvmq_channels {
  size_t first, n, multiplier;
  size_t bytes;  // per element
};

// Copies each output channel's input element at every grid point to out[rows][columns]; a pixel of `out` has
// `pixel_bytes` bytes. Skips padding.
void tvmq_gather_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_channels *channels, const struct tvmq_pixels *pixels, uint8_t *out,
                        size_t pixel_bytes);

// Copies n >= 1 bytes like memcpy, without a call for the most common sizes.
static inline void tvmq_copy_pixel(uint8_t *to, const uint8_t *from, size_t n) {
  if (n > 16) {
    memcpy(to, from, n);
  } else if (n >= 8) {
    memcpy(to, from, 8);
    memcpy(to + n - 8, from + n - 8, 8);
  } else if (n >= 4) {
    memcpy(to, from, 4);
    memcpy(to + n - 4, from + n - 4, 4);
  } else if (n >= 2) {
    memcpy(to, from, 2);
    memcpy(to + n - 2, from + n - 2, 2);
  } else {
    *to = *from;
  }
}
