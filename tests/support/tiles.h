// AMX's tiles in software, as Intel's manual defines them, for processors without them: a file that is compiled with this header in front of it (-include) has
// the intrinsics replaced. What the processor would refuse ends the process; sanitizers see each byte that tiles read and write.
#pragma once

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Compilers take minutes where they are part of each kernel.
#define APART __attribute__((noinline))

enum { TILES = 8, TILE_LINES = 16, TILE_LINE_BYTES = 64 };

// As LDTILECFG reads it.
struct tile_config {
  uint8_t palette, start_row, reserved[14];
  uint16_t line_bytes[TILE_LINES];
  uint8_t lines[TILE_LINES];
};

static _Thread_local struct tile_config tile_config;  // palette 0: there are no tiles
static _Thread_local uint8_t tiles[TILES][TILE_LINES][TILE_LINE_BYTES];

static APART void tile_demand(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "tiles: %s\n", what);
  abort();
}

static bool tile_is_there(int t) { return tile_config.palette == 1 && t < TILES && tile_config.lines[t] > 0; }

static APART void tile_configure(const void *config) {
  memcpy(&tile_config, config, sizeof tile_config);
  tile_demand(tile_config.palette == 1 && tile_config.start_row == 0, "another palette than 1, or a start row");
  for (int i = 0; i < 14; i++) tile_demand(tile_config.reserved[i] == 0, "reserved bytes are not 0");
  for (int t = 0; t < TILE_LINES; t++) {
    tile_demand(tile_config.lines[t] <= TILE_LINES && tile_config.line_bytes[t] <= TILE_LINE_BYTES, "a tile is too large");
    tile_demand((tile_config.lines[t] > 0) == (tile_config.line_bytes[t] > 0), "a tile without lines or without columns");
    tile_demand(t < TILES || tile_config.lines[t] == 0, "more than eight tiles");
  }
  memset(tiles, 0, sizeof tiles);
}

static APART void tile_let_go(void) { tile_config.palette = 0; }

static APART void tile_clear(int t) {
  tile_demand(tile_is_there(t), "a tile that is not configured is cleared");
  memset(tiles[t], 0, sizeof tiles[t]);
}

static APART void tile_load(int t, const void *from, size_t stride) {
  tile_clear(t);
  for (size_t i = 0; i < tile_config.lines[t]; i++) memcpy(tiles[t][i], (const char *)from + i * stride, tile_config.line_bytes[t]);
}

static APART void tile_store(int t, void *to, size_t stride) {
  tile_demand(tile_is_there(t), "a tile that is not configured is stored");
  for (size_t i = 0; i < tile_config.lines[t]; i++) memcpy((char *)to + i * stride, tiles[t][i], tile_config.line_bytes[t]);
}

// sums += a * b: each sum is of four bytes of a line of a, signed or not, and the four that lie together in each line of b.
static APART void tile_multiply(int sums, int a, int b, bool a_is_signed) {
  tile_demand(tile_is_there(sums) && tile_is_there(a) && tile_is_there(b), "a tile that is not configured is multiplied");
  tile_demand(sums != a && sums != b && a != b, "a tile has two parts in a product");
  tile_demand(tile_config.lines[sums] == tile_config.lines[a] && tile_config.line_bytes[sums] == tile_config.line_bytes[b] &&
                  tile_config.line_bytes[a] == 4 * tile_config.lines[b],
              "shapes do not fit");
  // A signed x is the unsigned x + 128, less 128.
  const __m512i zero = _mm512_setzero_si512(), offset = _mm512_set1_epi8((char)(a_is_signed ? 128 : 0));
  for (size_t k = 0; k < tile_config.lines[b]; k++) {
    const __m512i four = _mm512_loadu_si512(tiles[b][k]), surplus = _mm512_dpbusd_epi32(zero, offset, four);
    for (size_t m = 0; m < tile_config.lines[sums]; m++) {
      int32_t x;
      memcpy(&x, &tiles[a][m][4 * k], sizeof x);
      const __m512i sum = _mm512_dpbusd_epi32(_mm512_loadu_si512(tiles[sums][m]), _mm512_xor_si512(_mm512_set1_epi32(x), offset), four);
      _mm512_storeu_si512(tiles[sums][m], _mm512_sub_epi32(sum, surplus));
    }
  }
}

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbssd
#undef _tile_dpbusd
#define _tile_loadconfig(config) tile_configure(config)
#define _tile_release() tile_let_go()
#define _tile_zero(t) tile_clear(t)
#define _tile_loadd(t, from, stride) tile_load(t, from, stride)
#define _tile_stored(t, to, stride) tile_store(t, to, stride)
#define _tile_dpbssd(sums, a, b) tile_multiply(sums, a, b, true)
#define _tile_dpbusd(sums, a, b) tile_multiply(sums, a, b, false)
