// Tables of pointers to pixels: what depthwise kernels read. And copies of pixels for those that cannot be read in place.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "geometry.h"

// Points of the input, a dilation apart in both directions, from (y, x) on; what lies outside the input is padding.
struct tvmq_pixel_grid {
  const struct tvmq_axis *h, *w;
  ptrdiff_t y, x;
  size_t rows, columns;
  size_t row_step;    // bytes from one row of the grid to the next
  size_t pixel_step;  // bytes between neighbouring pixels of the input
  const void *padding;
};

// Fills table[rows][columns]. `row` is where the pixel (y, 0) is, or would be.
void tvmq_fill_pixels(const struct tvmq_pixel_grid *grid, const uint8_t *row, const void **table);

// Output channels of a depthwise convolution: `n` from `first` on, `multiplier` for each channel of the input.
struct tvmq_channels {
  size_t first, n, multiplier;
  size_t bytes;  // of an element
};

// Copies what each of the channels reads, of whole input rows: those of the grid. Steps are the input's; the copies lie as grid->row_step and pixel_step say.
void tvmq_gather_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_channels *channels, const uint8_t *input, size_t row_step, size_t pixel_step,
                        uint8_t *out);

// memcpy, without a call for what is most often copied.
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
