// Row tables (rows.h). The functions are compiled for constant `mr`: whole tiles are then written without a loop, and
// divisions become shifts.
#include <string.h>

#include "base/inline.h"
#include "cpu/ops/conv/rows.h"
#include "cpu/ops/conv/rows_windows.h"

// Place of a tap's next pointer: row `r` of the tile that begins at `cells`.
struct place {
  const void **cells;
  size_t r, tile_pointers;
};

// Writes one pointer. Pixels are integers here, because some are outside the image until they are replaced.
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

// Writes one piece of all pixels of the run to `place`. Pixels outside `s` point to `outside`: to a copy of each (step
// > 0), or to the same padding (step 0).
TVMQ_INLINE void put_pieces(const struct tvmq_rows *rows, size_t mr, const uint8_t *line, ptrdiff_t x, size_t n, struct span s, const uint8_t *outside,
                            size_t step, struct place place) {
  const uintptr_t other = (uintptr_t)outside;
  const bool any_inside = s.begin < s.end;
  // Writes all pixels as if they were inside, so that tiles stay whole; then replaces the few that are outside.
  put(place, mr, n, any_inside ? (uintptr_t)line + (uintptr_t)x * rows->pixel_bytes : other, any_inside ? rows->stride_w * rows->pixel_bytes : step);
  if (!any_inside) return;
  put_few(place, mr, s.begin, other, step);
  if (s.end < n) put_few(place_at(&place, mr, s.end), mr, n - s.end, other + s.end * step, step);
}

// Fills up the last tile.
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

// Copies pointers to pieces that the output line above reads, too; they are `back` pointers before these. Lines must be
// whole tiles.
TVMQ_INLINE void put_above(struct place place, size_t mr, size_t n, size_t back) {
  for (; n > 0 && place.r > 0; n--) put_one(&place, mr, (uintptr_t)(place.cells - back)[place.r]);
  for (; n >= mr; n -= mr, place.cells += place.tile_pointers) memcpy(place.cells, place.cells - back, mr * sizeof *place.cells);
  for (; n > 0; n--) put_one(&place, mr, (uintptr_t)(place.cells - back)[place.r]);
}

// Copies pointers of the run's pixels outside `whole` to pieces that the output line above has copied, `step` pieces
// further on.
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
  // A filter row reads the same input line as the filter row `step` further on does for the output line above.
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

#define DEFINE(MR)                                     \
  TVMQ_ROWS_TABLE(MR) {                                \
    (void)mr;                                          \
    fill_table(rows, in, first, n, MR, copies, table); \
  }
TVMQ_EACH_ROWS_TABLE(DEFINE)
TVMQ_ROWS_TABLE(any) { fill_table(rows, in, first, n, mr, copies, table); }

tvmq_rows_table_fn tvmq_rows_table_for(size_t mr) {
  switch (mr) {
#define CHOICE(MR) \
  case MR:         \
    return tvmq_rows_table_##MR;
    TVMQ_EACH_ROWS_TABLE(CHOICE)
    default:
      return tvmq_rows_table_any;
  }
}

void tvmq_rows_list(const void *matrix, size_t row_bytes, size_t n, size_t mr, const void **table) {
  for (size_t m = 0; m < n; m++) table[m] = (const char *)matrix + m * row_bytes;
  complete(table, n, mr, 1);
}
