// Winograd weights against the tables, the tables against the definition, and the proof that results are exact against what happens at the ends of its window.
#include <string.h>

#include "base/memory.h"
#include "engine.h"
#include "packing/pack_winograd.h"
#include "support/oracle.h"
#include "winograd_tables.h"

enum { MAX_NR = 16, MAX_DEPTHS = 700, POINTS = TABLE_POINTS * TABLE_POINTS };

static uint8_t filter[MAX_NR * 25 * MAX_DEPTHS];
static _Alignas(TVMQ_ALIGNMENT) uint8_t panel[POINTS * MAX_DEPTHS * MAX_NR * 2 + 1024];

static struct tvmq_channel channel_at(size_t j, size_t n_taps, size_t n_depths, uint8_t flip, int32_t zero_point) {
  return (struct tvmq_channel){.weights = filter + j * n_taps * n_depths,
                               .flip = flip,
                               .zero_point = zero_point,
                               .n_taps = n_taps,
                               .tap_stride = n_depths,
                               .n_depths = n_depths,
                               .depth_stride = 1};
}

static int32_t weight(const struct tvmq_channel *channel, size_t tap, size_t depth) {
  return (int8_t)(channel->weights[tap * channel->tap_stride + depth] ^ channel->flip) - channel->zero_point;
}

// G g G^T at one point, for a depth of a panel: that of a piece of 3 taps a direction, of which those beyond the filter are 0.
static int32_t transformed(const struct tvmq_channel *channel, size_t k, size_t taps_h, size_t taps_w, size_t point) {
  const size_t points_w = taps_w > 1 ? TABLE_POINTS : 1, pieces_w = (taps_w + 2) / 3, piece = k / channel->n_depths;
  int32_t sum = 0;
  for (size_t y = piece / pieces_w * 3; y < piece / pieces_w * 3 + 3 && y < taps_h; y++) {
    for (size_t x = piece % pieces_w * 3; x < piece % pieces_w * 3 + 3 && x < taps_w; x++) {
      const int32_t down = taps_h > 1 ? table_g[point / points_w][y % 3] : 1, across = taps_w > 1 ? table_g[point % points_w][x % 3] : 1;
      sum += down * across * weight(channel, y * taps_w + x, k % channel->n_depths);
    }
  }
  return sum;
}

static const size_t filters[][2] = {{3, 3}, {1, 3}, {3, 1}, {5, 5}, {1, 7}, {7, 1}, {2, 4}, {1, 2}};
enum { N_FILTERS = sizeof filters / sizeof filters[0] };

static void check_panels(void) {
  for (size_t i = 0; i < (check_quick ? 30 : 300); i++) {
    const size_t kr = (size_t)1 << check_below(3), ku = kr * (1 + check_below(2)), nr = 4 + 4 * check_below(MAX_NR / 4);
    const struct tvmq_layout layout = {.nr = (uint8_t)nr, .kr = (uint8_t)kr, .ku = (uint8_t)ku, .weight_bytes = 2, .acc_bytes = 4};
    const size_t *taps = filters[check_below(N_FILTERS)], n_taps = taps[0] * taps[1], n_depths = 1 + check_below(40), n = 1 + check_below((uint32_t)nr);
    const size_t n_points = (taps[0] > 1 ? TABLE_POINTS : 1) * (taps[1] > 1 ? TABLE_POINTS : 1);
    const size_t depths = (taps[0] + 2) / 3 * ((taps[1] + 2) / 3) * n_depths, padded = (depths + ku - 1) / ku * ku;
    struct tvmq_channel channels[MAX_NR];
    struct tvmq_channel_params params[MAX_NR];
    const uint8_t flip = check_one_in(2) ? 0x80 : 0;
    const int32_t zero_point = check_one_in(2) ? 0 : check_one_in(2) ? INT8_MIN : INT8_MAX;
    check_random_bytes(filter, n * n_taps * n_depths);
    for (size_t w = 0; check_one_in(3) && w < n * n_taps * n_depths; w++) filter[w] = check_one_in(2) ? 0x80 : 0x7f;
    for (size_t j = 0; j < n; j++) {
      channels[j] = channel_at(j, n_taps, n_depths, flip, zero_point);
      params[j] = (struct tvmq_channel_params){(int32_t)check_random(), (int32_t)check_random(), (int32_t)check_between(-31, 30)};
    }
    struct tvmq_panel parts;
    tvmq_panel_layout(&layout, n_points * padded, &parts);
    check_random_bytes(panel, sizeof panel);
    check_case("filter %zu x %zu, depths %zu, n %zu of %zu, kr %zu, ku %zu, zero point %d", taps[0], taps[1], n_depths, n, nr, kr, ku, zero_point);
    tvmq_pack_winograd(&layout, channels, params, n, taps[0], taps[1], panel);
    for (size_t p = 0; p < n_points; p++) {
      for (size_t k = 0; k < padded; k++) {
        for (size_t j = 0; j < nr; j++) {
          const int16_t got = ((const int16_t *)(panel + parts.weights))[(p * padded + k / kr * kr) * nr + j * kr + k % kr];
          const int32_t wanted = j < n && k < depths ? transformed(&channels[j], k, taps[0], taps[1], p) : 0;
          if (got != wanted) check_fail("point %zu, depth %zu, channel %zu: got %d, want %d", p, k, j, got, wanted);
        }
      }
    }
    for (size_t j = 0; j < nr; j++) {
      const struct tvmq_channel_params none = {0}, *wanted = j < n ? &params[j] : &none;
      int32_t got[3];
      memcpy(&got[0], panel + 4 * j, 4);
      memcpy(&got[1], panel + parts.multiplier + 4 * j, 4);
      memcpy(&got[2], panel + parts.shift + 4 * j, 4);
      if (got[0] != wanted->bias || got[1] != wanted->multiplier || got[2] != wanted->shift) check_fail("parameters of channel %zu", j);
    }
  }
}

// ---- tables

// A[(G g) o (B d)] is f times the convolution of g and d: linear in both, so that unit vectors decide.
static void check_tables(void) {
  for (size_t n = 1; n < N_TABLES; n++) {
    const struct table *t = &tables[n];
    for (size_t tap = 0; tap < 3; tap++) {
      for (size_t input = 0; input < t->inputs; input++) {
        for (size_t output = 0; output < t->outputs; output++) {
          int32_t sum = 0;
          for (size_t p = 0; p < TABLE_POINTS; p++) sum += t->a[output][p] * table_g[p][tap] * t->b[p][input];
          const int32_t wanted = output + tap == input ? t->f[output] : 0;
          check_case("%zu outputs, tap %zu, input %zu", t->outputs, tap, input);
          if (sum != wanted) check_fail("output %zu: got %d, want %d", output, sum, wanted);
        }
      }
    }
  }
}

// ---- proof

// Output (0, 0) of a tile of four outputs a direction, computed as the kernels do, for the input that makes the channel's sum greatest (least): where a weight
// is positive the input is 127 (-128), where it is negative the other.
static int32_t first_output(const struct tvmq_channel *channel, size_t taps_h, size_t taps_w, bool greatest) {
  const struct table *h = &tables[taps_h == 3 ? 4 : 0], *w = &tables[taps_w == 3 ? 4 : 0];
  uint32_t sum = 0;
  for (size_t k = 0; k < channel->n_depths; k++) {
    int32_t d[TABLE_POINTS][TABLE_POINTS];
    for (size_t y = 0; y < h->inputs; y++) {
      for (size_t x = 0; x < w->inputs; x++) {
        const bool inside = y < taps_h && x < taps_w;
        const int32_t g = inside ? weight(channel, y * taps_w + x, k) : 0;
        d[y][x] = inside ? ((g > 0) == greatest ? INT8_MAX : INT8_MIN) : (int32_t)check_between(INT8_MIN, INT8_MAX);
      }
    }
    for (size_t i = 0; i < table_points(h); i++) {
      for (size_t j = 0; j < table_points(w); j++) {
        int32_t v = 0;
        for (size_t y = 0; y < h->inputs; y++) {
          for (size_t x = 0; x < w->inputs; x++) v += h->b[i][y] * w->b[j][x] * d[y][x];
        }
        const int32_t u = transformed(channel, k, taps_h, taps_w, i * table_points(w) + j);
        if ((int16_t)v != v || (int16_t)u != u) check_fail("%d or %d leaves int16", v, u);
        sum += (uint32_t)(h->a[0][i] * w->a[0][j]) * (uint32_t)v * (uint32_t)u;
      }
    }
  }
  // 24 = 8 * 3 a direction: divided exactly by its odd part, then shifted.
  const bool two = h->inputs > 1 && w->inputs > 1;
  return (int32_t)(sum * (two ? 0x38e38e39u : 0xaaaaaaabu)) >> (two ? 6 : 3);
}

// Weights whose greatest or least sum comes to lie about the end of the window: the proof must hold exactly where both of these sums come out right.
static void check_proof(void) {
  size_t held = 0, refused = 0;
  for (size_t i = 0; i < (check_quick ? 40 : 400); i++) {
    const size_t *taps = filters[check_below(8) == 0 ? 1 + check_below(2) : 0], n_taps = taps[0] * taps[1];
    const bool two = n_taps == 9, wide = two && check_one_in(2);
    // One direction takes 2^28 / 128 = 2^21 of weights, for which there is no room: int8 sums of so few depths always fit.
    const size_t n_depths = two ? (wide ? 140 : 280) : 1 + check_below(MAX_DEPTHS);
    struct tvmq_channel channel = channel_at(0, n_taps, n_depths, 0, wide ? (check_one_in(2) ? INT8_MIN : INT8_MAX) : 0);
    const int64_t end = INT64_C(1) << (two ? 25 : 28), near = check_between(-300, 300);
    const bool greatest = check_one_in(2);
    // All weights pull the sum the same way by as much as the window allows for each; what is then missing is taken from one after the other.
    const uint32_t mix = check_below(3);  // positive weights, negative ones, both
    int64_t left = end + near;
    for (size_t t = 0; t < n_taps * n_depths; t++) {
      const bool positive = wide ? channel.zero_point < 0 : mix == 0 || (mix == 2 && check_one_in(2));
      const int64_t most = wide ? 255 : positive ? 127 : 128, unit = positive == greatest ? 127 : 128;
      int64_t size = left / unit < most ? left / unit : most;
      if (t + 1 < n_taps * n_depths && size > 8) size -= check_below(8);
      left -= size * unit;
      filter[t] = (uint8_t)((positive ? size : -size) + channel.zero_point);
    }
    const struct tvmq_folded sums = tvmq_fold(&channel, 0, 0, 0, INT8_MIN, INT8_MAX);
    check_case("filter %zu x %zu, depths %zu, zero point %d, sums %lld..%lld", taps[0], taps[1], n_depths, channel.zero_point, (long long)sums.lo,
               (long long)sums.hi);
    const bool exact = tvmq_winograd_exact(&channel, taps[0], taps[1]);
    const bool right = first_output(&channel, taps[0], taps[1], true) == sums.hi && first_output(&channel, taps[0], taps[1], false) == sums.lo;
    if (exact != right) check_fail("the proof says %s, and the result is %s", exact ? "exact" : "inexact", right ? "right" : "wrong");
    held += exact;
    refused += !exact;
  }
  if (held == 0 || refused == 0) check_fail("the window's end was not met from both sides: %zu held, %zu refused", held, refused);
}

const struct check check_pack_winograd[] = {
    {"winograd panels", check_panels},
    {"winograd tables", check_tables},
    {"winograd proof", check_proof},
    {NULL, NULL},
};
