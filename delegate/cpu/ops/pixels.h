// Tables of pointers to pixels: what depthwise kernels read. And copies of pixels for those that cannot be read in place.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "operators/geometry.h"

// Points of the input, a dilation apart in both directions, from (y, x) on; what lies outside the input is padding.
struct tvmq_pixel_grid {
  const struct tvmq_axis *h, *w;
  ptrdiff_t y, x;
  size_t rows, columns;
};

// Where the points of a grid lie: the first, or where it would be, and bytes from one to the next.
struct tvmq_pixels {
  const uint8_t *origin;
  size_t row_step, column_step;
};

// Fills table[rows][columns].
void tvmq_fill_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_pixels *pixels, const void *padding, const void **table);

// Fills table[rows][columns] for those who read `reach` points side by side, of the input's `pixel_bytes` bytes each, at each pointer. Columns are no dilation
// apart. Where as many lie in the input they are read there, and a row outside of it is padding, `reach` points of it; else what they are is copied to
// out[rows][columns], whose last columns are read beyond its end.
void tvmq_copy_lines(const struct tvmq_pixel_grid *grid, const struct tvmq_pixels *pixels, const void *padding, size_t pixel_bytes, size_t reach, uint8_t *out,
                     const void **table);

// Lets those who read `reach` pixels at a pointer, and want the first one alone, not read behind the input: pointers of table[rows][columns] at one of the last
// `reach` - 1 pixels of the input, of `pixel_bytes` bytes each, are pointed at copies in `out`, each of which has room for `reach` pixels.
void tvmq_copy_last_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_pixels *pixels, size_t pixel_bytes, size_t reach, uint8_t *out,
                           const void **table);

// Output channels of a depthwise convolution: `n` from `first` on, `multiplier` for each channel of the input.
struct tvmq_channels {
  size_t first, n, multiplier;
  size_t bytes;  // of an element
};

// Copies what each of the channels reads of the grid's points, to out[rows][columns] of `pixel_bytes` bytes each. Nothing is copied for padding.
void tvmq_gather_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_channels *channels, const struct tvmq_pixels *pixels, uint8_t *out,
                        size_t pixel_bytes);

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
