// Zipped rows lie as kernel.h has them, whatever the depths of a tap; nothing but the tiles is written.
#include "rows.h"
#include "unit.h"

enum { ROWS = 8, DEPTHS = 8, MAX_TILES = 2, MAX_TAPS = 3, MAX_K = 56, MARGIN = 64 };

static uint8_t in[MAX_TILES * MAX_TAPS * ROWS][MAX_K], out[sizeof in + MARGIN];

static void check_zip(size_t n_tiles, size_t n_taps, size_t k, uint8_t flip) {
  const size_t tile_bytes = n_taps * k * ROWS;
  const void *table[MAX_TILES * MAX_TAPS * ROWS];
  for (size_t i = 0; i < n_tiles * n_taps * ROWS; i++) table[i] = in[i];
  memset(out, 0x55, sizeof out);
  tvmq_rows_zip(table, n_tiles, n_taps, k, flip, out);
  int wrong = 0;
  for (size_t i = 0; i < n_tiles; i++) {
    CHECK(table[i * n_taps * ROWS] == out + i * tile_bytes, "%zu taps of %zu depths: tile %zu", n_taps, k, i);
    for (size_t t = 0; t < n_taps; t++) {
      for (size_t r = 0; r < ROWS; r++) {
        const uint8_t *const row = in[(i * n_taps + t) * ROWS + r], *const zipped = out + i * tile_bytes + t * k * ROWS + r * DEPTHS;
        for (size_t d = 0; d < k; d++) wrong += zipped[d / DEPTHS * DEPTHS * ROWS + d % DEPTHS] != (row[d] ^ flip);
      }
    }
  }
  for (size_t i = n_tiles * tile_bytes; i < sizeof out; i++) wrong += out[i] != 0x55;
  CHECK(wrong == 0, "%zu tiles, %zu taps of %zu depths, flip %#x: %d bytes", n_tiles, n_taps, k, flip, wrong);
}

int main(void) {
  unsigned long long state = 1;
  for (size_t i = 0; i < sizeof in; i++) (&in[0][0])[i] = (uint8_t)(unit_random(&state) >> 56);
  for (size_t n_tiles = 1; n_tiles <= MAX_TILES; n_tiles++) {
    for (size_t n_taps = 1; n_taps <= MAX_TAPS; n_taps++) {
      for (size_t k = DEPTHS; k <= MAX_K; k += DEPTHS) {
        check_zip(n_tiles, n_taps, k, 0);
        check_zip(n_tiles, n_taps, k, 0x80);
      }
    }
  }
  return unit_report();
}
