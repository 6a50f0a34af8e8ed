// Zipped rows lie as gemm.h has them, whatever the depths of a tap; nothing but the tiles is written. The range of pixels that rows read holds every pixel of
// their windows, lies in the input, and is whole lines or part of one.
#include "base/arith.h"
#include "cpu/ops/conv/rows.h"
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

// A number of [low, high].
static size_t pick(unsigned long long *state, size_t low, size_t high) { return low + (size_t)(unit_random(state) >> 33) % (high - low + 1); }

// Outputs of SAME padding, or as many as have their windows in the input.
static size_t outputs(bool same, size_t inputs, size_t filter, size_t stride, size_t dilation, size_t *pad) {
  const size_t window = (filter - 1) * dilation + 1, n = same ? tvmq_ceil_div(inputs, stride) : window > inputs ? 0 : (inputs - window) / stride + 1;
  const size_t span = same ? (n - 1) * stride + window : 0;
  *pad = span > inputs ? (span - inputs) / 2 : 0;
  return n;
}

// Whether `pixels` has all pixels that row `m` reads.
static bool has_window(const struct tvmq_rows *r, size_t m, const struct tvmq_pixel_range *pixels) {
  const size_t top = m / r->out_w % r->out_h * r->stride_h, left = m % r->out_w * r->stride_w, image = m / r->out_w / r->out_h;
  for (size_t ky = 0; ky < r->filter_h; ky++) {
    for (size_t kx = 0; kx < r->filter_w; kx++) {
      const size_t y = top + ky * r->dilation_h - r->pad_top, x = left + kx * r->dilation_w - r->pad_left;  // huge before the input
      const size_t pixel = (image * r->in_h + y) * r->in_w + x;
      if (y < r->in_h && x < r->in_w && (pixel < pixels->begin || pixel >= pixels->end)) return false;
    }
  }
  return true;
}

static void check_pixels(unsigned long long *state) {
  size_t n = 0, parts = 0, wrong = 0;
  for (int i = 0; i < 200000; i++) {
    const bool same = pick(state, 0, 1);
    struct tvmq_rows r = {.in_h = pick(state, 1, 4), .in_w = pick(state, 1, 12), .pixel_bytes = 1, .tap_bytes = 1};
    r.filter_h = pick(state, 1, 3), r.filter_w = pick(state, 1, 6);
    r.stride_h = pick(state, 1, 3), r.stride_w = pick(state, 1, 4);
    r.dilation_h = pick(state, 1, 3), r.dilation_w = pick(state, 1, 4);
    r.out_h = outputs(same, r.in_h, r.filter_h, r.stride_h, r.dilation_h, &r.pad_top);
    r.out_w = outputs(same, r.in_w, r.filter_w, r.stride_w, r.dilation_w, &r.pad_left);
    if (r.out_h == 0 || r.out_w == 0) continue;
    const size_t batch = pick(state, 1, 2), m = batch * r.out_h * r.out_w, first = pick(state, 0, m - 1), count = pick(state, 1, m - first);
    const struct tvmq_pixel_range pixels = tvmq_rows_pixels(&r, first, count);
    const bool whole = pixels.begin % r.in_w == 0 && pixels.end % r.in_w == 0;
    bool good = pixels.begin <= pixels.end && pixels.end <= batch * r.in_h * r.in_w;
    good &= whole || pixels.begin == pixels.end || pixels.begin / r.in_w == (pixels.end - 1) / r.in_w;
    for (size_t row = first; row < first + count; row++) good &= has_window(&r, row, &pixels);
    n++;
    parts += !whole;
    wrong += !good;
  }
  CHECK(wrong == 0 && n > 100000 && parts > n / 50, "pixels of rows: %zu of %zu wrong, %zu in part of a line", wrong, n, parts);
}

int main(void) {
  unsigned long long state = 1;
  check_pixels(&state);
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
