// Tables of pixels: every pointer is that of its point of the grid, or of padding. Of lines for those who read several points at a pointer, all that may be
// read is there and is what it should be.
#include "base/arith.h"
#include "cpu/ops/pixels.h"
#include "unit.h"

enum { MOST_IN = 40, MOST_POINTS = 60, MOST_PIXEL = 8, MOST_REACH = 16 };

static uint8_t image[MOST_IN * MOST_IN * MOST_PIXEL], padding[MOST_REACH * MOST_PIXEL];
static uint8_t copies[(MOST_POINTS * MOST_POINTS + MOST_REACH) * MOST_PIXEL];
static const void *table[MOST_POINTS * MOST_POINTS];

// A number of [low, high].
static size_t pick(unsigned long long *state, size_t low, size_t high) { return low + (size_t)(unit_random(state) >> 33) % (high - low + 1); }

static struct tvmq_axis draw_axis(unsigned long long *state, bool dilates) {
  const size_t most = pick(state, 0, 1) ? MOST_IN : 4;
  return (struct tvmq_axis){.in = pick(state, 1, most), .dilation = dilates ? pick(state, 1, 3) : 1};
}

static ptrdiff_t draw_first(unsigned long long *state) { return (ptrdiff_t)pick(state, 0, 12) - 8; }

// The pixel at a point of the grid, in `image` of `pixel_bytes`; padding outside of it.
static const uint8_t *point(const struct tvmq_pixel_grid *grid, size_t row, size_t column, size_t pixel_bytes) {
  const size_t y = (size_t)(grid->y + (ptrdiff_t)(row * grid->h->dilation)), x = (size_t)(grid->x + (ptrdiff_t)(column * grid->w->dilation));
  return y < grid->h->in && x < grid->w->in ? image + (y * grid->w->in + x) * pixel_bytes : padding;
}

static struct tvmq_pixels pixels_of(const struct tvmq_pixel_grid *grid, size_t pixel_bytes) {
  const size_t line = grid->w->in * pixel_bytes;
  const intptr_t first = grid->y * (ptrdiff_t)line + grid->x * (ptrdiff_t)pixel_bytes;
  return (struct tvmq_pixels){
      .origin = (const uint8_t *)((uintptr_t)image + (uintptr_t)first), .row_step = grid->h->dilation * line, .column_step = grid->w->dilation * pixel_bytes};
}

static struct tvmq_pixel_grid draw_grid(unsigned long long *state, const struct tvmq_axis *h, const struct tvmq_axis *w) {
  const size_t most = pick(state, 0, 2) ? MOST_POINTS : 1;
  return (struct tvmq_pixel_grid){.h = h, .w = w, .y = draw_first(state), .x = draw_first(state), .rows = pick(state, 1, 8), .columns = pick(state, 1, most)};
}

static void check_fill(unsigned long long *state) {
  size_t wrong = 0, inside = 0;
  for (int i = 0; i < 20000; i++) {
    const struct tvmq_axis h = draw_axis(state, true), w = draw_axis(state, true);
    const struct tvmq_pixel_grid grid = draw_grid(state, &h, &w);
    const size_t bytes = pick(state, 1, MOST_PIXEL);
    const struct tvmq_pixels pixels = pixels_of(&grid, bytes);
    tvmq_fill_pixels(&grid, &pixels, padding, table);
    for (size_t p = 0; p < grid.rows * grid.columns; p++) {
      const uint8_t *expected = point(&grid, p / grid.columns, p % grid.columns, bytes);
      wrong += table[p] != expected;
      inside += expected != padding;
    }
  }
  CHECK(wrong == 0 && inside > 100000, "tables: %zu pointers wrong, %zu to pixels", wrong, inside);
}

static bool lies_in(const uint8_t *from, size_t n, const uint8_t *buffer, size_t size) { return from >= buffer && from + n <= buffer + size; }

static void check_lines(unsigned long long *state) {
  size_t unreadable = 0, wrong = 0, in_place = 0, copied = 0;
  for (int i = 0; i < 20000; i++) {
    const struct tvmq_axis h = draw_axis(state, true), w = draw_axis(state, false);
    const struct tvmq_pixel_grid grid = draw_grid(state, &h, &w);
    const size_t bytes = pick(state, 1, MOST_PIXEL), reach = pick(state, 1, MOST_REACH), n = grid.rows * grid.columns;
    const struct tvmq_pixels pixels = pixels_of(&grid, bytes);
    memset(copies, 0x55, sizeof copies);
    tvmq_copy_lines(&grid, &pixels, padding, bytes, reach, copies, table);
    for (size_t p = 0; p < n; p++) {
      const uint8_t *at = table[p];
      const bool here = lies_in(at, reach * bytes, image, h.in * w.in * bytes), there = lies_in(at, reach * bytes, copies, (n + reach) * bytes);
      in_place += here;
      copied += there;
      if (!here && !there && at != padding) {
        unreadable++;
        continue;
      }
      for (size_t j = 0; j < tvmq_min(reach, grid.columns - p % grid.columns); j++)
        wrong += memcmp(at + j * bytes, point(&grid, p / grid.columns, p % grid.columns + j, bytes), bytes) != 0;
    }
  }
  CHECK(unreadable == 0 && wrong == 0, "lines: %zu pointers to what may not be read, %zu points wrong", unreadable, wrong);
  CHECK(in_place > 50000 && copied > 50000, "lines: %zu points in place, %zu copied", in_place, copied);
}

// The image's lines may be the grid's columns.
static void check_last(unsigned long long *state) {
  size_t unreadable = 0, wrong = 0, in_place = 0, copied = 0;
  for (int i = 0; i < 20000; i++) {
    const struct tvmq_axis h = draw_axis(state, true), w = draw_axis(state, true);
    const struct tvmq_pixel_grid grid = draw_grid(state, &h, &w);
    const bool turned = pick(state, 0, 1) == 1;
    const struct tvmq_pixel_grid across = {.h = &w, .w = &h, .y = grid.x, .x = grid.y, .rows = grid.columns, .columns = grid.rows};
    const size_t bytes = pick(state, 1, MOST_PIXEL), reach = pick(state, 1, MOST_REACH), end = h.in * w.in * bytes;
    struct tvmq_pixels pixels = pixels_of(turned ? &across : &grid, bytes);
    if (turned) pixels = (struct tvmq_pixels){pixels.origin, pixels.column_step, pixels.row_step};
    tvmq_fill_pixels(&grid, &pixels, padding, table);
    tvmq_copy_last_pixels(&grid, &pixels, bytes, reach, copies, table);
    for (size_t p = 0; p < grid.rows * grid.columns; p++) {
      const size_t row = p / grid.columns, column = p % grid.columns;
      const uint8_t *at = table[p], *expected = turned ? point(&across, column, row, bytes) : point(&grid, row, column, bytes);
      const bool here = lies_in(at, reach * bytes, image, end), there = lies_in(at, reach * bytes, copies, reach * reach * bytes);
      in_place += here;
      copied += there;
      unreadable += !here && !there && at != padding;
      wrong += there ? memcmp(at, expected, bytes) != 0 || expected == padding || lies_in(expected, reach * bytes, image, end) : at != expected;
    }
  }
  CHECK(unreadable == 0 && wrong == 0, "last pixels: %zu pointers to what may not be read, %zu wrong", unreadable, wrong);
  CHECK(in_place > 50000 && copied > 5000, "last pixels: %zu points in place, %zu copied", in_place, copied);
}

int main(void) {
  unsigned long long state = 1;
  for (size_t i = 0; i < sizeof image; i++) image[i] = (uint8_t)(unit_random(&state) >> 33);
  memset(padding, 0xaa, sizeof padding);
  check_fill(&state);
  check_lines(&state);
  check_last(&state);
  return unit_report();
}
