#include "ops/conv/rows.h"

#include <string.h>

#include "kernels/inline.h"

// Output pixels that lie side by side in one line: what there is to decide is decided once for all of them.
struct run {
  const uint8_t *image;  // input image
  size_t out_y;          // in the output image
  ptrdiff_t y, x;        // input coordinates of the first pixel's first tap, may be negative
  size_t n;              // pixels
};

// The run that begins with output pixel `m` and has at most `most` pixels.
static struct run run_at(const struct tvmq_rows *rows, const uint8_t *in, size_t m, size_t most) {
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

// The run that follows: the next line.
static struct run run_after(const struct tvmq_rows *rows, const struct run *run, size_t most) {
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

// The input line of a run's filter row `ky`, or NULL where it is padding. One comparison serves both ends: a negative coordinate is a huge unsigned one.
static const uint8_t *line_of(const struct tvmq_rows *rows, const struct run *run, size_t ky) {
  const size_t y = (size_t)(run->y + (ptrdiff_t)(ky * rows->dilation_h));
  return y < rows->in_h ? run->image + y * rows->in_w * rows->pixel_bytes : NULL;
}

// Pixels [begin, end) of a run have the tap that lies at input column `x` for the first pixel inside the line; those before and after have padding there.
struct span {
  size_t begin, end;
};

static struct span inside(const struct tvmq_rows *rows, ptrdiff_t x, size_t n) {
  // Few pixels overhang, so that steps are cheaper than divisions.
  struct span s = {.begin = 0, .end = n};
  const ptrdiff_t stride = (ptrdiff_t)rows->stride_w, width = (ptrdiff_t)rows->in_w;
  ptrdiff_t last = x + (ptrdiff_t)n * stride - stride;
  for (; s.begin < n && x < 0; x += stride) s.begin++;
  for (; s.end > s.begin && last >= width; last -= stride) s.end--;
  return s;
}

// Pixels of a run whose windows do not leave the image at its sides: the first tap is inside, and so is the last.
static struct span whole_windows(const struct tvmq_rows *rows, const struct run *run) {
  const ptrdiff_t width = (ptrdiff_t)((rows->filter_w - 1) * rows->dilation_w);
  const struct span s = {.begin = inside(rows, run->x, run->n).begin, .end = inside(rows, run->x + width, run->n).end};
  return s.begin < s.end ? s : (struct span){run->n, run->n};
}

static const uint8_t *pixel_at(const struct tvmq_rows *rows, const uint8_t *line, ptrdiff_t x, size_t i) {
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
  enum { CALLED = 256 };  // a call is worth it
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

// One filter row of pixels [s.begin, s.end) of a run, tap by tap. `x` and `to` belong to the run's first pixel.
static void copy_taps(const struct tvmq_rows *rows, const uint8_t *line, ptrdiff_t x, struct span s, uint8_t *to, size_t row_bytes) {
  if (s.begin == s.end) return;
  const size_t n = s.end - s.begin, bytes = rows->tap_bytes, step = rows->stride_w * rows->pixel_bytes;
  x += (ptrdiff_t)(s.begin * rows->stride_w);
  to += s.begin * row_bytes;
  for (size_t kx = 0; kx < rows->filter_w; kx++, to += bytes, x += (ptrdiff_t)rows->dilation_w) {
    const struct span in = line ? inside(rows, x, n) : (struct span){n, n};
    copy_pieces(to, row_bytes, rows->padding, 0, in.begin, bytes);
    if (in.begin < in.end) copy_pieces(to + in.begin * row_bytes, row_bytes, pixel_at(rows, line, x, in.begin), step, in.end - in.begin, bytes);
    copy_pieces(to + in.end * row_bytes, row_bytes, rows->padding, 0, n - in.end, bytes);
  }
}

// The same where taps lie side by side: a window that leaves the image at its sides is padding, what is inside, and padding.
static void copy_windows(const struct tvmq_rows *rows, const uint8_t *line, ptrdiff_t x, struct span s, uint8_t *to, size_t row_bytes) {
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

void tvmq_rows_im2col(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, uint8_t *out, size_t row_bytes) {
  const size_t line_bytes = rows->filter_w * rows->tap_bytes;
  struct run run = run_at(rows, in, first, n);
  for (size_t m = 0; m < n; m += run.n, run = run_after(rows, &run, n - m)) {
    const struct span whole = whole_windows(rows, &run), all = {0, run.n};
    uint8_t *to = out + m * row_bytes;
    for (size_t ky = 0; ky < rows->filter_h; ky++, to += line_bytes) {
      const uint8_t *line = line_of(rows, &run, ky);
      if (rows->piece_taps < rows->filter_w) {
        copy_taps(rows, line, run.x, all, to, row_bytes);
      } else if (!line) {
        copy_pieces(to, row_bytes, rows->padding, 0, run.n, line_bytes);
      } else {
        copy_windows(rows, line, run.x, (struct span){0, whole.begin}, to, row_bytes);
        if (whole.begin < whole.end)
          copy_pieces(to + whole.begin * row_bytes, row_bytes, pixel_at(rows, line, run.x, whole.begin), rows->stride_w * rows->pixel_bytes,
                      whole.end - whole.begin, line_bytes);
        copy_windows(rows, line, run.x, (struct span){whole.end, run.n}, to, row_bytes);
      }
    }
  }
}

// ---- table
//
// All of it is compiled for constant `mr`: whole tiles are then written without a loop, and what divides is a shift.

// Where the next pointer of a tap goes: row `r` of the tile that begins at `cells`.
struct place {
  const void **cells;
  size_t r, tile_pointers;
};

// Pixels are numbers here: some lie outside of the image until they are replaced.
TVMQ_INLINE void put_one(struct place *place, size_t mr, uintptr_t pixel) {
  place->cells[place->r] = (const void *)pixel;
  if (++place->r < mr) return;
  place->r = 0;
  place->cells += place->tile_pointers;
}

TVMQ_INLINE void put(struct place place, size_t mr, size_t n, uintptr_t pixel, size_t step) {
  for (; n > 0 && place.r > 0; n--, pixel += step) put_one(&place, mr, pixel);
  for (; n >= mr; n -= mr, place.cells += place.tile_pointers) {
    for (size_t r = 0; r < mr; r++, pixel += step) place.cells[r] = (const void *)pixel;
  }
  for (; n > 0; n--, pixel += step) put_one(&place, mr, pixel);
}

TVMQ_INLINE void put_few(struct place place, size_t mr, size_t n, uintptr_t pixel, size_t step) {
  for (; n > 0; n--, pixel += step) put_one(&place, mr, pixel);
}

TVMQ_INLINE struct place place_at(const struct place *place, size_t mr, size_t i) {
  const size_t r = place->r + i;
  return (struct place){.cells = place->cells + r / mr * place->tile_pointers, .r = r % mr, .tile_pointers = place->tile_pointers};
}

// One piece of the run's pixels goes to `place`: for pixels outside `s` from `outside`, which is a copy of each (step > 0) or padding for all (step 0).
TVMQ_INLINE void put_pieces(const struct tvmq_rows *rows, size_t mr, const uint8_t *line, ptrdiff_t x, size_t n, struct span s, const uint8_t *outside,
                            size_t step, struct place place) {
  const uintptr_t other = (uintptr_t)outside;
  const bool any_inside = s.begin < s.end;
  // All as if they were inside, so that tiles stay whole; then the few that are not.
  put(place, mr, n, any_inside ? (uintptr_t)line + (uintptr_t)x * rows->pixel_bytes : other, any_inside ? rows->stride_w * rows->pixel_bytes : step);
  if (!any_inside) return;
  put_few(place, mr, s.begin, other, step);
  if (s.end < n) put_few(place_at(&place, mr, s.end), mr, n - s.end, other + s.end * step, step);
}

// Makes a whole tile of the last one.
TVMQ_INLINE void complete(const void **table, size_t n, size_t mr, size_t n_pieces) {
  const size_t rest = n % mr, missing = mr - rest, tile_pointers = n_pieces * mr;
  if (rest == 0) return;
  const void **cells = table + n / mr * tile_pointers;
  for (size_t piece = 0; piece < n_pieces; piece++, cells += mr) {
    if (n < mr) {
      for (size_t r = rest; r < mr; r++) cells[r] = cells[rest - 1];
    } else {
      for (size_t r = mr; r-- > missing;) cells[r] = cells[r - missing];
      for (size_t r = 0; r < missing; r++) cells[r] = (cells - tile_pointers)[rest + r];
    }
  }
}

TVMQ_INLINE const void **cell_at(const void **table, size_t n_pieces, size_t mr, size_t m, size_t piece) {
  return table + (m / mr * n_pieces + piece) * mr + m % mr;
}

// Pieces that the output line above reads too, where lines are whole tiles: its pointers stand `back` before these.
TVMQ_INLINE void put_above(struct place place, size_t mr, size_t n, size_t back) {
  for (; n > 0 && place.r > 0; n--) put_one(&place, mr, (uintptr_t)(place.cells - back)[place.r]);
  for (; n >= mr; n -= mr, place.cells += place.tile_pointers) memcpy(place.cells, place.cells - back, mr * sizeof *place.cells);
  for (; n > 0; n--) put_one(&place, mr, (uintptr_t)(place.cells - back)[place.r]);
}

// Pieces of the run's pixels outside `whole` that the output line above reads too, `step` pieces further on: they have been copied for it.
TVMQ_INLINE void put_again(const struct tvmq_rows *rows, const void **table, size_t n_pieces, size_t mr, size_t m, size_t n, struct span whole, size_t piece,
                           size_t step) {
  for (size_t i = 0; i < n; i++) {
    if (i == whole.begin) i = whole.end;
    if (i >= n) break;
    *cell_at(table, n_pieces, mr, m + i, piece) = *cell_at(table, n_pieces, mr, m + i - rows->out_w, piece + step);
  }
}

TVMQ_INLINE void fill_table(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, size_t mr, uint8_t *copies, const void **table) {
  const size_t n_pieces = tvmq_rows_pieces(rows), piece_bytes = tvmq_rows_piece_bytes(rows), row_bytes = n_pieces * piece_bytes;
  // A filter row reads the line that the row `step` further on read for the output line above.
  const size_t step = rows->stride_h % rows->dilation_h == 0 ? rows->stride_h / rows->dilation_h : rows->filter_h;
  const size_t back = (rows->out_w / mr * n_pieces - step * (n_pieces / rows->filter_h)) * mr;
  struct run run = run_at(rows, in, first, n);
  for (size_t m = 0; m < n; m += run.n, run = run_after(rows, &run, n - m)) {
    const struct span whole = whole_windows(rows, &run), none = {run.n, run.n};
    const bool has_above = m >= rows->out_w && run.out_y != 0;
    struct place place = {.cells = table + m / mr * n_pieces * mr, .r = m % mr, .tile_pointers = n_pieces * mr};
    uint8_t *to = copies + m * row_bytes;
    for (size_t ky = 0; ky < rows->filter_h; ky++) {
      const uint8_t *line = line_of(rows, &run, ky);
      const bool copied = has_above && ky + step < rows->filter_h;
      ptrdiff_t x = run.x;
      for (size_t kx = 0; kx < rows->filter_w; kx += rows->piece_taps, x += (ptrdiff_t)rows->dilation_w, place.cells += mr, to += piece_bytes) {
        if (copied && rows->out_w % mr == 0) {
          put_above(place, mr, run.n, back);
        } else if (!line || rows->piece_taps == 1) {
          put_pieces(rows, mr, line, x, run.n, line ? inside(rows, x, run.n) : none, rows->padding, 0, place);
        } else {
          if (!copied) {
            copy_windows(rows, line, x, (struct span){0, whole.begin}, to, row_bytes);
            copy_windows(rows, line, x, (struct span){whole.end, run.n}, to, row_bytes);
          }
          put_pieces(rows, mr, line, x, run.n, whole, to, row_bytes, place);
          if (copied) put_again(rows, table, n_pieces, mr, m, run.n, whole, ky, step);
        }
      }
    }
  }
  complete(table, n, mr, n_pieces);
}

void tvmq_rows_table(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, size_t mr, uint8_t *copies, const void **table) {
  if (mr == 4)
    fill_table(rows, in, first, n, 4, copies, table);
  else if (mr == 8)
    fill_table(rows, in, first, n, 8, copies, table);
  else
    fill_table(rows, in, first, n, mr, copies, table);
}

// ---- what is read

// A coordinate of the padded input as one of the input, at most `size`.
static size_t unpadded(size_t at, size_t padding, size_t size) { return at <= padding ? 0 : at - padding < size ? at - padding : size; }

struct tvmq_pixel_range tvmq_rows_pixels(const struct tvmq_rows *rows, size_t first, size_t n) {
  const size_t last = first + n - 1, first_line = first / rows->out_w, last_line = last / rows->out_w;
  const size_t top = first_line % rows->out_h * rows->stride_h, bottom = last_line % rows->out_h * rows->stride_h + (rows->filter_h - 1) * rows->dilation_h + 1;
  const size_t begin = first_line / rows->out_h * rows->in_h + unpadded(top, rows->pad_top, rows->in_h);
  const size_t end = last_line / rows->out_h * rows->in_h + unpadded(bottom, rows->pad_top, rows->in_h);
  if (first_line != last_line || end != begin + 1) return (struct tvmq_pixel_range){begin * rows->in_w, end * rows->in_w};
  const size_t left = first % rows->out_w * rows->stride_w, right = last % rows->out_w * rows->stride_w + (rows->filter_w - 1) * rows->dilation_w + 1;
  return (struct tvmq_pixel_range){
      .begin = begin * rows->in_w + unpadded(left, rows->pad_left, rows->in_w),
      .end = begin * rows->in_w + unpadded(right, rows->pad_left, rows->in_w),
  };
}

// ---- matrices

void tvmq_rows_flip(const uint8_t *in, size_t n, uint8_t flip, uint8_t *out) {
  for (size_t i = 0; i < n; i++) out[i] = in[i] ^ flip;
}

void tvmq_rows_widen(const uint8_t *in, size_t n, uint8_t flip, int16_t *out) {
  for (size_t i = 0; i < n; i++) out[i] = (int8_t)(in[i] ^ flip);
}

void tvmq_rows_list(const void *matrix, size_t row_bytes, size_t n, size_t mr, const void **table) {
  for (size_t m = 0; m < n; m++) table[m] = (const char *)matrix + m * row_bytes;
  complete(table, n, mr, 1);
}

enum { ZIPPED_ROWS = 8, ZIPPED_DEPTHS = 8 };

// Eight depths of each of two rows.
typedef uint64_t row_pair __attribute__((vector_size(2 * ZIPPED_DEPTHS)));

static inline row_pair load_depths(const uint8_t *from) {
  row_pair sixteen;
  memcpy(&sixteen, from, sizeof sixteen);
  return sixteen;
}

static inline void store_depths(row_pair sixteen, uint8_t *to) { memcpy(to, &sixteen, sizeof sixteen); }

// One tap of a tile.
TVMQ_INLINE void zip_tap(const void *const *table, size_t k, uint64_t flips, uint8_t *out) {
  const uint8_t *rows[ZIPPED_ROWS];
  for (size_t r = 0; r < ZIPPED_ROWS; r++) rows[r] = table[r];
  size_t d = 0;
  for (; d + 2 * ZIPPED_DEPTHS <= k; d += 2 * ZIPPED_DEPTHS, out += 2 * ZIPPED_DEPTHS * ZIPPED_ROWS) {
    for (size_t r = 0; r < ZIPPED_ROWS; r += 2) {
      const row_pair a = load_depths(rows[r] + d), b = load_depths(rows[r + 1] + d);
      store_depths((row_pair){a[0], b[0]} ^ flips, out + r * ZIPPED_DEPTHS);
      store_depths((row_pair){a[1], b[1]} ^ flips, out + (ZIPPED_ROWS + r) * ZIPPED_DEPTHS);
    }
  }
  if (d == k) return;
  for (size_t r = 0; r < ZIPPED_ROWS; r++) {
    uint64_t depths;
    memcpy(&depths, rows[r] + d, sizeof depths);
    depths ^= flips;
    memcpy(out + r * ZIPPED_DEPTHS, &depths, sizeof depths);
  }
}

// Inlined for flips of 0, which then cost nothing.
TVMQ_INLINE void zip_tiles(const void **table, size_t n_tiles, size_t n_taps, size_t k, uint64_t flips, uint8_t *out) {
  for (; n_tiles > 0; n_tiles--, table += n_taps * ZIPPED_ROWS) {
    const void *const tile = out;
    for (size_t t = 0; t < n_taps; t++, out += k * ZIPPED_ROWS) zip_tap(table + t * ZIPPED_ROWS, k, flips, out);
    table[0] = tile;
  }
}

void tvmq_rows_zip(const void **table, size_t n_tiles, size_t n_taps, size_t k, uint8_t flip, uint8_t *out) {
  if (flip == 0)
    zip_tiles(table, n_tiles, n_taps, k, 0, out);
  else
    zip_tiles(table, n_tiles, n_taps, k, flip * (UINT64_MAX / UINT8_MAX), out);
}
