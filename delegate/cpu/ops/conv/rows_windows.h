// Functions shared by row tables and im2col (rows.h): which windows are inside the image, and copies of those that are
// not.
#pragma once

#include <string.h>

#include "cpu/ops/conv/rows.h"

// Run: adjacent output pixels of one line, for which decisions are made once.
struct run {
  const uint8_t *image;  // the input image
  size_t out_y;          // line in the output image
  ptrdiff_t y, x;        // input coordinates of the first pixel's first tap, may be negative
  size_t n;              // pixels
};

// Returns the run that begins with output pixel `m` and has at most `most` pixels.
static inline struct run run_at(const struct tvmq_rows *rows, const uint8_t *in, size_t m, size_t most) {
  const size_t line = m / rows->out_w, out_x = m % rows->out_w;
  const size_t image = line / rows->out_h, out_y = line % rows->out_h;
  return (struct run){
      .image = in + image * rows->in_h * rows->in_w * rows->pixel_bytes,
      .out_y = out_y,
      .y = (ptrdiff_t)(out_y * rows->stride_h) - (ptrdiff_t)rows->pad_top,
      .x = (ptrdiff_t)(out_x * rows->stride_w) - (ptrdiff_t)rows->pad_left,
      .n = rows->out_w - out_x < most ? rows->out_w - out_x : most,
  };
}

// Returns the next run, at the start of the next line.
static inline struct run run_after(const struct tvmq_rows *rows, const struct run *run, size_t most) {
  struct run next = *run;
  next.x = -(ptrdiff_t)rows->pad_left;
  next.y += (ptrdiff_t)rows->stride_h;
  next.n = rows->out_w < most ? rows->out_w : most;
  if (++next.out_y == rows->out_h) {
    next.out_y = 0;
    next.y = -(ptrdiff_t)rows->pad_top;
    next.image += rows->in_h * rows->in_w * rows->pixel_bytes;
  }
  return next;
}

// Returns the input line of a run's filter row `ky`, or NULL if it is padding. One comparison covers both ends, because
// a negative coordinate becomes a huge unsigned one.
static inline const uint8_t *line_of(const struct tvmq_rows *rows, const struct run *run, size_t ky) {
  const size_t y = (size_t)(run->y + (ptrdiff_t)(ky * rows->dilation_h));
  return y < rows->in_h ? run->image + y * rows->in_w * rows->pixel_bytes : NULL;
}

// Span: for pixels [begin, end) of a run, a tap is inside the input line; for the other pixels it is padding. `x` is
// the tap's column for the first pixel.
struct span {
  size_t begin, end;
};

static inline struct span inside(const struct tvmq_rows *rows, ptrdiff_t x, size_t n) {
  // Few pixels are outside, so stepping is cheaper than dividing.
  struct span s = {.begin = 0, .end = n};
  const ptrdiff_t stride = (ptrdiff_t)rows->stride_w, width = (ptrdiff_t)rows->in_w;
  ptrdiff_t last = x + (ptrdiff_t)n * stride - stride;
  for (; s.begin < n && x < 0; x += stride) s.begin++;
  for (; s.end > s.begin && last >= width; last -= stride) s.end--;
  return s;
}

// Returns the pixels of a run whose windows do not cross the image's sides: the first and the last tap are inside.
static inline struct span whole_windows(const struct tvmq_rows *rows, const struct run *run) {
  const ptrdiff_t width = (ptrdiff_t)((rows->filter_w - 1) * rows->dilation_w);
  const struct span s = {.begin = inside(rows, run->x, run->n).begin, .end = inside(rows, run->x + width, run->n).end};
  return s.begin < s.end ? s : (struct span){run->n, run->n};
}

static inline const uint8_t *pixel_at(const struct tvmq_rows *rows, const uint8_t *line, ptrdiff_t x, size_t i) {
  return line + (size_t)(x + (ptrdiff_t)(i * rows->stride_w)) * rows->pixel_bytes;
}

// ---- copies

// Copies one piece. Short ones without a call: two overlapping moves cover any length of at least half their sum.
static inline void copy_piece(uint8_t *to, const uint8_t *from, size_t bytes, size_t move) {
  for (size_t i = 0; i + move <= bytes; i += move) memcpy(to + i, from + i, move);
  memcpy(to + bytes - move, from + bytes - move, move);
}

// Copies `n` pieces of `bytes` bytes.
static inline void copy_pieces(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step, size_t n, size_t bytes) {
  enum { CALLED = 256 };  // bytes from which a call of memcpy() pays
  if (bytes >= CALLED) {
    for (; n > 0; n--, to += to_step, from += from_step) memcpy(to, from, bytes);
  } else if (bytes >= 16) {
    for (; n > 0; n--, to += to_step, from += from_step) copy_piece(to, from, bytes, 16);
  } else if (bytes >= 8) {
    for (; n > 0; n--, to += to_step, from += from_step) copy_piece(to, from, bytes, 8);
  } else if (bytes >= 4) {
    for (; n > 0; n--, to += to_step, from += from_step) copy_piece(to, from, bytes, 4);
  } else {
    for (; n > 0; n--, to += to_step, from += from_step) {
      for (size_t i = 0; i < bytes; i++) to[i] = from[i];
    }
  }
}

// Copies one filter row of pixels [s.begin, s.end) of a run; its taps are contiguous. A window that crosses the image's
// sides becomes padding, the taps inside, and padding.
static inline void copy_windows(const struct tvmq_rows *rows, const uint8_t *line, ptrdiff_t x, struct span s, uint8_t *to, size_t row_bytes) {
  const size_t tap_bytes = rows->tap_bytes, taps = rows->filter_w;
  for (size_t i = s.begin; i < s.end; i++) {
    const ptrdiff_t left = x + (ptrdiff_t)(i * rows->stride_w), room = (ptrdiff_t)rows->in_w - left;
    const size_t begin = left >= 0 ? 0 : (size_t)-left < taps ? (size_t)-left : taps;
    size_t end = room <= 0 ? 0 : (size_t)room < taps ? (size_t)room : taps;
    if (end < begin) end = begin;
    uint8_t *row = to + i * row_bytes;
    if (begin > 0) copy_pieces(row, 0, rows->padding, 0, 1, begin * tap_bytes);
    if (begin < end) copy_pieces(row + begin * tap_bytes, 0, line + (size_t)(left + (ptrdiff_t)begin) * rows->pixel_bytes, 0, 1, (end - begin) * tap_bytes);
    if (end < taps) copy_pieces(row + end * tap_bytes, 0, rows->padding, 0, 1, (taps - end) * tap_bytes);
  }
}
