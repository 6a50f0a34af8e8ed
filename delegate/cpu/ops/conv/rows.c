#include "cpu/ops/conv/rows.h"

#include <string.h>

#include "base/inline.h"

// ---- what is read

// Converts a coordinate of the padded input to one of the input, clamped to [0, size].
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

enum { ZIPPED_ROWS = 8, ZIPPED_DEPTHS = 8 };

// Holds eight depths of each of two rows.
typedef uint64_t row_pair __attribute__((vector_size(2 * ZIPPED_DEPTHS)));

static inline row_pair load_depths(const uint8_t *from) {
  row_pair sixteen;
  memcpy(&sixteen, from, sizeof sixteen);
  return sixteen;
}

static inline void store_depths(row_pair sixteen, uint8_t *to) { memcpy(to, &sixteen, sizeof sixteen); }

// Zips one tap of a tile.
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

// Inline, so that flips of 0 cost nothing.
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
