// Row tables and im2col against the definition: each piece of each row holds the pixels of its window, or zero points; a kernel's last tile ends with the last
// row; and nothing is read behind the images or written beyond what the header says.
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cpu/ops/conv/rows.h"
#include "support/guard.h"
#include "unit.h"

enum { MOST_IN = 2 * 8 * 14 * 12, MOST_ROWS = 2 * 12 * 16, MOST_TAPS = 5 * 7, MOST_ROW_BYTES = MOST_TAPS * 6, MARGIN = 64, UNTOUCHED = 0x55 };

static size_t pick(unsigned long long *state, size_t low, size_t high) { return low + (size_t)(unit_random(state) >> 33) % (high - low + 1); }

// A convolution of at most two images, and the rows that are asked for.
struct problem {
  struct tvmq_rows rows;
  size_t batch, m, first, n, group;  // group: bytes before it in a pixel
};

static bool draw(unsigned long long *state, struct problem *p) {
  const size_t groups = pick(state, 1, 2), tap = pick(state, 1, 6), dilation_w = pick(state, 0, 2) == 0 ? pick(state, 2, 3) : 1;
  struct tvmq_rows r = {.in_h = pick(state, 1, 8),
                        .in_w = pick(state, 1, 14),
                        .pixel_bytes = groups * tap,
                        .tap_bytes = tap,
                        .filter_h = pick(state, 1, 5),
                        .filter_w = pick(state, 1, 7),
                        .stride_h = pick(state, 1, 3),
                        .stride_w = pick(state, 1, 3),
                        .dilation_h = pick(state, 1, 3),
                        .dilation_w = dilation_w,
                        .pad_top = pick(state, 0, 4),
                        .pad_left = pick(state, 0, 6)};
  const size_t window_h = (r.filter_h - 1) * r.dilation_h + 1, window_w = (r.filter_w - 1) * r.dilation_w + 1;
  const size_t high = r.pad_top + r.in_h + pick(state, 0, 4), wide = r.pad_left + r.in_w + pick(state, 0, 6);
  if (high < window_h || wide < window_w) return false;
  r.out_h = (high - window_h) / r.stride_h + 1;
  r.out_w = (wide - window_w) / r.stride_w + 1;
  r.piece_taps = dilation_w == 1 && groups == 1 ? r.filter_w : 1;
  *p = (struct problem){.rows = r, .batch = pick(state, 1, 2), .group = pick(state, 0, groups - 1) * tap};
  p->m = p->batch * r.out_h * r.out_w;
  p->first = pick(state, 0, p->m - 1);
  p->n = pick(state, 1, p->m - p->first);
  return p->n <= MOST_ROWS;
}

// Tap (ky, kx) of row `m`, by the definition.
static const uint8_t *tap_of(const struct problem *p, const uint8_t *in, size_t m, size_t ky, size_t kx) {
  const struct tvmq_rows *r = &p->rows;
  const size_t image = m / r->out_w / r->out_h, y = m / r->out_w % r->out_h * r->stride_h + ky * r->dilation_h - r->pad_top;
  const size_t x = m % r->out_w * r->stride_w + kx * r->dilation_w - r->pad_left;  // both are huge before the input
  return y < r->in_h && x < r->in_w ? in + ((image * r->in_h + y) * r->in_w + x) * r->pixel_bytes + p->group : r->padding;
}

// Whether `bytes` are those of piece `piece` of row `m`.
static bool is_piece(const struct problem *p, const uint8_t *in, size_t m, size_t piece, const uint8_t *bytes) {
  const struct tvmq_rows *r = &p->rows;
  for (size_t t = 0; t < r->piece_taps; t++) {
    const size_t tap = piece * r->piece_taps + t;
    if (memcmp(bytes + t * r->tap_bytes, tap_of(p, in, m, tap / r->filter_w, tap % r->filter_w), r->tap_bytes) != 0) return false;
  }
  return true;
}

// The row that place `at` of a table of n rows has: the last tile ends with the last row, or repeats it.
static size_t row_at(size_t at, size_t n, size_t mr) {
  if (n < mr) return tvmq_min(at, n - 1);
  const size_t last = n / mr * mr;
  return n % mr != 0 && at >= last ? n - mr + (at - last) : at;
}

static size_t check_table(const struct problem *p, const uint8_t *in, size_t mr, uint8_t *copies, const void **table) {
  const size_t pieces = tvmq_rows_pieces(&p->rows), places = tvmq_round_up(p->n, mr), row_bytes = pieces * tvmq_rows_piece_bytes(&p->rows);
  memset(copies, UNTOUCHED, p->n * row_bytes + MARGIN);
  table[places * pieces] = NULL;
  tvmq_rows_table_for(mr)(&p->rows, in + p->group, p->first, p->n, mr, copies, table);
  size_t wrong = table[places * pieces] != NULL;
  for (size_t at = 0; at < places; at++) {
    for (size_t piece = 0; piece < pieces; piece++)
      wrong += !is_piece(p, in, p->first + row_at(at, p->n, mr), piece, table[(at / mr * pieces + piece) * mr + at % mr]);
  }
  for (size_t i = 0; i < MARGIN; i++) wrong += copies[p->n * row_bytes + i] != UNTOUCHED;
  return wrong;
}

static size_t check_im2col(const struct problem *p, const uint8_t *in, size_t gap, uint8_t *out) {
  const size_t pieces = tvmq_rows_pieces(&p->rows), piece_bytes = tvmq_rows_piece_bytes(&p->rows), row_bytes = pieces * piece_bytes + gap;
  memset(out, UNTOUCHED, p->n * row_bytes + MARGIN);
  tvmq_rows_im2col(&p->rows, in + p->group, p->first, p->n, out, row_bytes);
  size_t wrong = 0;
  for (size_t row = 0; row < p->n; row++) {
    for (size_t piece = 0; piece < pieces; piece++) wrong += !is_piece(p, in, p->first + row, piece, out + row * row_bytes + piece * piece_bytes);
  }
  for (size_t i = 0; i < MARGIN; i++) wrong += out[p->n * row_bytes + i] != UNTOUCHED;
  return wrong;
}

static void check_list(uint8_t *matrix, const void **table) {
  for (size_t n = 1; n < 40; n++) {
    for (size_t mr = 1; mr <= 16; mr++) {
      tvmq_rows_list(matrix, 3, n, mr, table);
      size_t wrong = 0;
      for (size_t at = 0; at < tvmq_round_up(n, mr); at++) wrong += table[at] != matrix + 3 * row_at(at, n, mr);
      CHECK(wrong == 0, "list of %zu rows in tiles of %zu: %zu wrong", n, mr, wrong);
    }
  }
}

int main(void) {
  const struct guard images = guard_create(1, MOST_IN, GUARD_READ_WRITE);
  static uint8_t pixels[MOST_IN], padding[MOST_ROW_BYTES], copies[MOST_ROWS * (MOST_ROW_BYTES + 16) + MARGIN];
  static const void *table[(MOST_ROWS + 16) * MOST_TAPS + 1];
  unsigned long long state = 1;
  for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(unit_random(&state) >> 56);
  memset(padding, 0xa7, sizeof padding);
  size_t drawn = 0;
  for (int i = 0; i < 6000; i++) {
    struct problem p;
    if (!draw(&state, &p)) continue;
    p.rows.padding = padding;
    const size_t bytes = p.batch * p.rows.in_h * p.rows.in_w * p.rows.pixel_bytes;
    uint8_t *const in = guard_at(&images, 0, bytes, GUARD_END);
    memcpy(in, pixels, bytes);
    drawn++;
    const size_t mr = pick(&state, 1, 16), gap = pick(&state, 0, 15);
    CHECK(check_table(&p, in, mr, copies, table) == 0, "case %d: table of rows %zu + %zu in tiles of %zu", i, p.first, p.n, mr);
    CHECK(check_im2col(&p, in, gap, copies) == 0, "case %d: im2col of rows %zu + %zu, %zu bytes apart", i, p.first, p.n, gap);
  }
  CHECK(drawn > 2000, "%zu cases", drawn);
  check_list(pixels, table);
  return unit_report();
}
