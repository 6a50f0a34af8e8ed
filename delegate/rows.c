#include "rows.h"

#include <string.h>

// Walks output pixels in row-major order over the batch without a division per pixel.
struct cursor {
  const uint8_t *image;  // input image of the current pixel
  ptrdiff_t y, x;        // input coordinates of the window's first tap, may be negative
  size_t out_y, out_x;
};

static struct cursor cursor_at(const struct tvmq_rows *rows, const uint8_t *in, size_t m) {
  size_t pixels = rows->out_h * rows->out_w;
  size_t image = m / pixels, rest = m % pixels;
  struct cursor c = {.out_y = rest / rows->out_w, .out_x = rest % rows->out_w};
  c.image = in + image * rows->in_h * rows->in_w * rows->pixel_bytes;
  c.y = (ptrdiff_t)(c.out_y * rows->stride_h) - (ptrdiff_t)rows->pad_top;
  c.x = (ptrdiff_t)(c.out_x * rows->stride_w) - (ptrdiff_t)rows->pad_left;
  return c;
}

static void cursor_next(const struct tvmq_rows *rows, struct cursor *c) {
  c->x += (ptrdiff_t)rows->stride_w;
  if (++c->out_x < rows->out_w) return;
  c->out_x = 0;
  c->x = -(ptrdiff_t)rows->pad_left;
  c->y += (ptrdiff_t)rows->stride_h;
  if (++c->out_y < rows->out_h) return;
  c->out_y = 0;
  c->y = -(ptrdiff_t)rows->pad_top;
  c->image += rows->in_h * rows->in_w * rows->pixel_bytes;
}

// One comparison serves both ends: a negative coordinate is a huge unsigned one.
static bool inside(ptrdiff_t at, size_t size) { return (size_t)at < size; }

void tvmq_rows_table(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, size_t mr, const void **table) {
  const size_t line_bytes = rows->in_w * rows->pixel_bytes;
  const size_t n_taps = rows->filter_h * rows->filter_w;
  const ptrdiff_t span_y = (ptrdiff_t)((rows->filter_h - 1) * rows->dilation_h), span_x = (ptrdiff_t)((rows->filter_w - 1) * rows->dilation_w);
  struct cursor c = cursor_at(rows, in, first);
  for (size_t m = 0; m < n; m++) {
    const void **cell = table + m / mr * n_taps * mr + m % mr;
    const uint8_t *corner = c.image + c.y * (ptrdiff_t)line_bytes + c.x * (ptrdiff_t)rows->pixel_bytes;
    bool interior = c.y >= 0 && c.x >= 0 && inside(c.y + span_y, rows->in_h) && inside(c.x + span_x, rows->in_w);
    for (size_t ky = 0; ky < rows->filter_h; ky++) {
      const uint8_t *tap = corner + ky * rows->dilation_h * line_bytes;
      bool row_inside = interior || inside(c.y + (ptrdiff_t)(ky * rows->dilation_h), rows->in_h);
      for (size_t kx = 0; kx < rows->filter_w; kx++) {
        bool there = interior || (row_inside && inside(c.x + (ptrdiff_t)(kx * rows->dilation_w), rows->in_w));
        *cell = there ? tap : rows->padding;
        cell += mr;
        tap += rows->dilation_w * rows->pixel_bytes;
      }
    }
    cursor_next(rows, &c);
  }
  for (size_t m = n; m % mr != 0; m++) {
    const void **cell = table + m / mr * n_taps * mr + m % mr;
    for (size_t t = 0; t < n_taps; t++, cell += mr) cell[0] = cell[-1];
  }
}

// Copies a short piece without a call: two overlapping moves cover any length of at least half their sum.
static inline void copy_piece(uint8_t *to, const uint8_t *from, size_t n) {
  if (n > 16) {
    memcpy(to, from, n);
  } else if (n >= 8) {
    uint64_t head, tail;
    memcpy(&head, from, 8);
    memcpy(&tail, from + n - 8, 8);
    memcpy(to, &head, 8);
    memcpy(to + n - 8, &tail, 8);
  } else if (n >= 4) {
    uint32_t head, tail;
    memcpy(&head, from, 4);
    memcpy(&tail, from + n - 4, 4);
    memcpy(to, &head, 4);
    memcpy(to + n - 4, &tail, 4);
  } else {
    for (size_t i = 0; i < n; i++) to[i] = from[i];
  }
}

void tvmq_rows_im2col(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, uint8_t *out, size_t row_bytes) {
  const size_t line_bytes = rows->in_w * rows->pixel_bytes;
  const ptrdiff_t span_x = (ptrdiff_t)((rows->filter_w - 1) * rows->dilation_w);
  // Taps of one filter row lie side by side in the input, and are copied in one go, if nothing lies between them.
  const bool contiguous = rows->dilation_w == 1 && rows->tap_bytes == rows->pixel_bytes;
  struct cursor c = cursor_at(rows, in, first);
  for (size_t m = 0; m < n; m++) {
    uint8_t *to = out + m * row_bytes;
    bool columns_inside = c.x >= 0 && inside(c.x + span_x, rows->in_w);
    for (size_t ky = 0; ky < rows->filter_h; ky++) {
      ptrdiff_t y = c.y + (ptrdiff_t)(ky * rows->dilation_h);
      bool row_inside = inside(y, rows->in_h);
      const uint8_t *tap = c.image + y * (ptrdiff_t)line_bytes + c.x * (ptrdiff_t)rows->pixel_bytes;
      if (contiguous && row_inside && columns_inside) {
        copy_piece(to, tap, rows->filter_w * rows->tap_bytes);
        to += rows->filter_w * rows->tap_bytes;
        continue;
      }
      for (size_t kx = 0; kx < rows->filter_w; kx++) {
        bool there = row_inside && inside(c.x + (ptrdiff_t)(kx * rows->dilation_w), rows->in_w);
        copy_piece(to, there ? tap : rows->padding, rows->tap_bytes);
        to += rows->tap_bytes;
        tap += rows->dilation_w * rows->pixel_bytes;
      }
    }
    cursor_next(rows, &c);
  }
}

void tvmq_rows_flip(uint8_t *bytes, size_t n, uint8_t flip) {
  for (size_t i = 0; i < n; i++) bytes[i] ^= flip;
}

void tvmq_rows_widen(const uint8_t *in, size_t n, uint8_t flip, int16_t *out) {
  for (size_t i = 0; i < n; i++) out[i] = (int8_t)(in[i] ^ flip);
}

void tvmq_rows_list(const void *matrix, size_t row_bytes, size_t n, size_t mr, const void **table) {
  for (size_t m = 0; m < n; m++) table[m] = (const char *)matrix + m * row_bytes;
  for (size_t m = n; m % mr != 0; m++) table[m] = table[m - 1];
}
