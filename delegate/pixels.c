#include "pixels.h"

#include <stdbool.h>

#include "scratch.h"

void tvmq_fill_pixels(const struct tvmq_pixel_grid *grid, const uint8_t *row, const void **table) {
  const size_t step = grid->w->dilation, columns = grid->columns;
  const ptrdiff_t in = (ptrdiff_t)grid->w->in, x = grid->x;
  const size_t before = x < 0 ? tvmq_min(tvmq_ceil_div((size_t)-x, step), columns) : 0;
  const size_t end = x < in ? tvmq_min(tvmq_ceil_div((size_t)(in - x), step), columns) : before;
  const size_t first = (size_t)(x + (ptrdiff_t)(before * step)) * grid->pixel_step;
  ptrdiff_t y = grid->y;
  for (size_t i = 0; i < grid->rows; i++, y += (ptrdiff_t)grid->h->dilation, row += grid->row_step, table += columns) {
    const bool inside = (size_t)y < grid->h->in;
    size_t c = 0;
    for (; c < before; c++) table[c] = grid->padding;
    for (const uint8_t *pixel = row + first; c < end; c++, pixel += step * grid->pixel_step) table[c] = inside ? pixel : grid->padding;
    for (; c < columns; c++) table[c] = grid->padding;
  }
}

void tvmq_gather_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_channels *channels, const uint8_t *input, size_t row_step, size_t pixel_step,
                        uint8_t *out) {
  const size_t n = channels->n;
  size_t source[UINT8_MAX];
  for (size_t j = 0; j < n; j++) source[j] = (channels->first + j) / channels->multiplier;
  ptrdiff_t y = grid->y;
  for (size_t i = 0; i < grid->rows; i++, y += (ptrdiff_t)grid->h->dilation, out += grid->row_step) {
    if ((size_t)y >= grid->h->in) continue;
    const uint8_t *pixel = input + (size_t)y * row_step;
    uint8_t *to = out;
    for (size_t x = 0; x < grid->w->in; x++, pixel += pixel_step, to += grid->pixel_step) {
      if (channels->multiplier == 1) {
        tvmq_copy_pixel(to, pixel + channels->first * channels->bytes, n * channels->bytes);
      } else if (channels->bytes == 1) {
        for (size_t j = 0; j < n; j++) to[j] = pixel[source[j]];
      } else {
        for (size_t j = 0; j < n; j++) ((int16_t *)to)[j] = ((const int16_t *)pixel)[source[j]];
      }
    }
  }
}
