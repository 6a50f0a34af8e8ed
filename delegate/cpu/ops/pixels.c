#include "cpu/ops/pixels.h"

#include <assert.h>
#include <stdbool.h>

#include "arithmetic/stage.h"
#include "base/arith.h"
#include "packing/layout.h"

// Columns [begin, end) of a grid that are inside the input.
struct span {
  size_t begin, end;
};

static size_t steps_to(size_t distance, size_t step) { return step == 1 ? distance : tvmq_ceil_div(distance, step); }

static struct span inside(const struct tvmq_pixel_grid *grid) {
  const size_t step = grid->w->dilation, columns = grid->columns;
  const ptrdiff_t in = (ptrdiff_t)grid->w->in, x = grid->x;
  const size_t begin = x < 0 ? tvmq_min(steps_to((size_t)-x, step), columns) : 0;
  return (struct span){begin, x < in ? tvmq_min(steps_to((size_t)(in - x), step), columns) : begin};
}

static bool has_row(const struct tvmq_pixel_grid *grid, size_t row) { return (size_t)(grid->y + (ptrdiff_t)(row * grid->h->dilation)) < grid->h->in; }

// Writes pointers to `n` pixels, `step` bytes apart, to the table, four per iteration. Returns the end of the written
// pointers.
static const void **point_at(const void **table, const uint8_t *pixel, size_t n, size_t step) {
  for (; n >= 4; n -= 4, table += 4, pixel += 4 * step) {
    table[0] = pixel;
    table[1] = pixel + step;
    table[2] = pixel + 2 * step;
    table[3] = pixel + 3 * step;
  }
  for (; n > 0; n--, pixel += step) *table++ = pixel;
  return table;
}

void tvmq_fill_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_pixels *pixels, const void *padding, const void **table) {
  // A grid of one column is treated as a grid of one row.
  const bool is_column = grid->columns == 1;
  const struct tvmq_pixel_grid transposed = {.h = grid->w, .w = grid->h, .y = grid->x, .x = grid->y, .rows = grid->columns, .columns = grid->rows};
  const struct tvmq_pixel_grid lines = is_column ? transposed : *grid;
  const size_t row_step = is_column ? pixels->column_step : pixels->row_step, column_step = is_column ? pixels->row_step : pixels->column_step;
  const struct span span = inside(&lines);
  const uint8_t *line = pixels->origin + span.begin * column_step;
  for (size_t row = 0; row < lines.rows; row++, line += row_step) {
    if (has_row(&lines, row)) {
      table = point_at(table, padding, span.begin, 0);
      table = point_at(table, line, span.end - span.begin, column_step);
      table = point_at(table, padding, lines.columns - span.end, 0);
    } else {
      table = point_at(table, padding, lines.columns, 0);
    }
  }
}

// Copies columns [first, end) of a line to the same columns of `out`: from `line` inside the span, from `padding`
// elsewhere. Both `line` and `out` begin with column 0.
static void copy_columns(const uint8_t *line, struct span span, const void *padding, size_t pixel_bytes, size_t first, size_t end, uint8_t *out) {
  const size_t begin = tvmq_min(tvmq_max(first, span.begin), end), stop = tvmq_min(tvmq_max(begin, span.end), end);
  for (size_t c = first; c < begin; c++) tvmq_copy_pixel(out + c * pixel_bytes, padding, pixel_bytes);
  if (begin < stop) tvmq_copy_pixel(out + begin * pixel_bytes, line + begin * pixel_bytes, (stop - begin) * pixel_bytes);
  for (size_t c = stop; c < end; c++) tvmq_copy_pixel(out + c * pixel_bytes, padding, pixel_bytes);
}

void tvmq_copy_lines(const struct tvmq_pixel_grid *grid, const struct tvmq_pixels *pixels, const void *padding, size_t pixel_bytes, size_t reach, uint8_t *out,
                     const void **table) {
  const struct span span = inside(grid);
  const size_t columns = grid->columns, n_inside = span.end - span.begin, in_place = n_inside >= 2 * reach ? n_inside - (reach - 1) : 0;
  const size_t left = in_place > 0 ? span.begin : columns, right = left + in_place;  // columns before `left`, and from `right` on, are copied
  const uint8_t *line = pixels->origin;
  for (size_t row = 0; row < grid->rows; row++, line += pixels->row_step, out += columns * pixel_bytes) {
    if (!has_row(grid, row)) {
      table = point_at(table, padding, columns, 0);
      continue;
    }
    if (left > 0) copy_columns(line, span, padding, pixel_bytes, 0, tvmq_min(left + (reach - 1), columns), out);
    copy_columns(line, span, padding, pixel_bytes, right, columns, out);
    table = point_at(table, out, left, pixel_bytes);
    table = point_at(table, line + left * pixel_bytes, in_place, pixel_bytes);
    table = point_at(table, out + right * pixel_bytes, columns - right, pixel_bytes);
  }
}

// Returns the grid's index of a coordinate, or `n`, the size of the grid, if no point of the grid has that coordinate.
static size_t index_of(size_t at, ptrdiff_t first, size_t dilation, size_t n) {
  const ptrdiff_t distance = (ptrdiff_t)at - first;
  if (distance < 0 || (dilation > 1 && (size_t)distance % dilation != 0)) return n;
  return tvmq_min(dilation > 1 ? (size_t)distance / dilation : (size_t)distance, n);
}

void tvmq_copy_last_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_pixels *pixels, size_t pixel_bytes, size_t reach, uint8_t *out,
                           const void **table) {
  // The image's lines may be the grid's columns. The loop goes backwards from the last pixel; x is its position in a
  // line of the image.
  const bool transposed = pixels->column_step * grid->h->dilation > pixels->row_step * grid->w->dilation;
  const size_t width = transposed ? grid->h->in : grid->w->in, height = transposed ? grid->w->in : grid->h->in;
  size_t x = width, y = height;
  for (size_t left = reach - 1; left > 0 && y > 0; left--, out += reach * pixel_bytes) {
    x--;
    const size_t row = index_of(transposed ? x : y - 1, grid->y, grid->h->dilation, grid->rows);
    const size_t column = index_of(transposed ? y - 1 : x, grid->x, grid->w->dilation, grid->columns);
    if (x == 0) {
      x = width;
      y--;
    }
    if (row == grid->rows || column == grid->columns) continue;
    tvmq_copy_pixel(out, pixels->origin + row * pixels->row_step + column * pixels->column_step, pixel_bytes);
    table[row * grid->columns + column] = out;
  }
}

// Gathers eight bytes per iteration, because compilers would otherwise store single bytes.
static void gather_bytes(const uint8_t *pixel, const size_t *source, size_t n, uint8_t *to) {
  for (; n >= 8; n -= 8, source += 8, to += 8) {
    const uint64_t low = (uint64_t)pixel[source[0]] | (uint64_t)pixel[source[1]] << 8 | (uint64_t)pixel[source[2]] << 16 | (uint64_t)pixel[source[3]] << 24;
    const uint64_t high = (uint64_t)pixel[source[4]] | (uint64_t)pixel[source[5]] << 8 | (uint64_t)pixel[source[6]] << 16 | (uint64_t)pixel[source[7]] << 24;
    const uint64_t bytes = low | high << 32;
    memcpy(to, &bytes, sizeof bytes);
  }
  for (size_t j = 0; j < n; j++) to[j] = pixel[source[j]];
}

void tvmq_gather_pixels(const struct tvmq_pixel_grid *grid, const struct tvmq_channels *channels, const struct tvmq_pixels *pixels, uint8_t *out,
                        size_t pixel_bytes) {
  const size_t n = channels->n;
  const struct span span = inside(grid);
  size_t source[TVMQ_MAX_NR];
  assert(n <= TVMQ_MAX_NR);
  for (size_t j = 0; j < n; j++) source[j] = (channels->first + j) / channels->multiplier;
  for (size_t row = 0; row < grid->rows; row++) {
    if (!has_row(grid, row)) continue;
    const uint8_t *pixel = pixels->origin + row * pixels->row_step + span.begin * pixels->column_step;
    uint8_t *to = out + (row * grid->columns + span.begin) * pixel_bytes;
    for (size_t c = span.begin; c < span.end; c++, pixel += pixels->column_step, to += pixel_bytes) {
      if (channels->bytes == 1) {
        gather_bytes(pixel, source, n, to);
      } else {
        for (size_t j = 0; j < n; j++) ((int16_t *)to)[j] = ((const int16_t *)pixel)[source[j]];
      }
    }
  }
}
