// Packing and folding, against what their headers say.
#include <string.h>

#include "base/memory.h"
#include "engine.h"
#include "packing/pack_depthwise.h"

// Checks all that a panel holds for a channel besides weights.
static void check_params(const struct tvmq_layout *layout, const struct tvmq_panel *parts, const uint8_t *panel, size_t position,
                         const struct tvmq_channel_params *params) {
  static const struct tvmq_channel_params none;
  const struct tvmq_channel_params *p = params ? params : &none;
  int64_t bias = 0;
  int32_t multiplier, shift;
  memcpy(&bias, panel + position * layout->acc_bytes, layout->acc_bytes);
  memcpy(&multiplier, panel + parts->multiplier + 4 * position, 4);
  memcpy(&shift, panel + parts->shift + 4 * position, 4);
  if (bias != (layout->acc_bytes == 8 ? p->bias : (int64_t)(uint32_t)p->bias)) check_fail("position %zu: bias %lld", position, (long long)bias);
  if (multiplier != p->multiplier || shift != p->shift) check_fail("position %zu: multiplier %d, shift %d", position, multiplier, shift);
}

static struct tvmq_channel_params draw_params(void) {
  return (struct tvmq_channel_params){(int64_t)check_random(), (int32_t)check_random(), (int32_t)check_between(-31, 30)};
}

// The channel and the depth of a tap's weight number `at`, as layout.h draws them: in groups of nr channels x kr depths, or with a rotation.
static void place_of(const struct tvmq_layout *layout, size_t padded, size_t at, size_t *channel, size_t *depth) {
  const size_t nr = layout->nr, kr = layout->kr;
  if (layout->rotation == 0) {
    *channel = at / kr % nr;
    *depth = at / (nr * kr) * kr + at % kr;
    return;
  }
  size_t first = at / (16 * nr) * 16, pairs = 8;
  if (padded - first < 16) {
    if (padded - first == 12 && at >= (first + 8) * nr) first += 8;
    pairs = padded - first >= 8 ? 4 : 2;
  }
  const size_t lanes = pairs > 4 ? pairs : 4, rest = at - first * nr;
  const size_t rotation = rest / (nr / 4 * lanes * 2), vector = rest / (lanes * 2) % (nr / 4), lane = rest / 2 % lanes;
  *channel = vector * 4 + lane % 4;
  *depth = first + (lane + rotation) % pairs * 2 + at % 2;
}

// Every element of a panel, weight by weight, from a filter read with random strides.
static void check_panels(void) {
  enum { MAX_NR = 24, MAX_TAPS = 4, MAX_DEPTHS = 200 };
  static uint8_t filter[MAX_NR * MAX_TAPS * MAX_DEPTHS * 2];
  static _Alignas(TVMQ_ALIGNMENT) uint8_t panel[MAX_NR * (16 + MAX_TAPS * (MAX_DEPTHS + 32) * 2) + 128];
  for (size_t i = 0; i < (check_quick ? 200 : 3000); i++) {
    const bool rotated = check_one_in(4);
    const size_t kr = rotated ? 2 : (size_t)1 << check_below(5), ku = rotated ? 4 + 4 * check_below(2) : kr * (1 + check_below(2));
    const struct tvmq_layout layout = {.nr = (uint8_t)(4 + 4 * check_below(MAX_NR / 4)),
                                       .kr = (uint8_t)kr,
                                       .ku = (uint8_t)ku,
                                       .weight_bytes = (uint8_t)(rotated ? 1 : 1 + check_below(2)),
                                       .acc_bytes = check_one_in(2) ? 4 : 8,
                                       .rotation = rotated ? 4 : 0};
    const size_t nr = layout.nr, n_taps = 1 + check_below(MAX_TAPS), n_depths = 1 + check_below(MAX_DEPTHS), n = 1 + check_below(layout.nr);
    const size_t padded = (n_depths + ku - 1) / ku * ku;
    // Taps outside depths, as in OHWI, or depths outside taps.
    const bool taps_outside = check_one_in(2);
    const size_t gap = 1 + check_below(2);
    const size_t tap_stride = taps_outside ? n_depths * gap : gap, depth_stride = taps_outside ? gap : n_taps * gap;
    struct tvmq_channel channels[MAX_NR];
    struct tvmq_channel_params params[MAX_NR];
    check_random_bytes(filter, sizeof filter);
    for (size_t c = 0; c < n; c++) {
      channels[c] = (struct tvmq_channel){.weights = filter + c * n_taps * n_depths * gap,
                                          .flip = check_one_in(2) ? 0x80 : 0,
                                          .zero_point = (int32_t)check_between(-128, 127),
                                          .n_taps = n_taps,
                                          .tap_stride = tap_stride,
                                          .n_depths = n_depths,
                                          .depth_stride = depth_stride};
      params[c] = draw_params();
    }
    struct tvmq_panel parts;
    check_case("nr %zu of %zu, kr %zu, ku %zu, weight_bytes %d, acc_bytes %d, rotation %d, taps %zu, depths %zu", n, nr, kr, ku, layout.weight_bytes,
               layout.acc_bytes, layout.rotation, n_taps, n_depths);
    if (!tvmq_panel_layout(&layout, n_taps * padded, &parts)) check_fail("the size does not fit");
    check_random_bytes(panel, sizeof panel);
    uint8_t after[64];
    memcpy(after, panel + parts.size, sizeof after);
    tvmq_pack_panel(&layout, channels, params, n, panel);
    if (memcmp(after, panel + parts.size, sizeof after) != 0) check_fail("bytes behind the panel were written");

    for (size_t c = 0; c < nr; c++) check_params(&layout, &parts, panel, c, c < n ? &params[c] : NULL);
    for (size_t at = 0; at < n_taps * padded * nr; at++) {
      const size_t t = at / (padded * nr);
      size_t c, d;
      place_of(&layout, padded, at % (padded * nr), &c, &d);
      int32_t wanted = 0, got;
      if (c < n && d < n_depths) {
        const int32_t w = (int8_t)(channels[c].weights[t * tap_stride + d * depth_stride] ^ channels[c].flip);
        wanted = layout.weight_bytes == 1 ? w : w - channels[c].zero_point;
      }
      if (layout.weight_bytes == 1) {
        got = (int8_t)panel[parts.weights + at];
      } else {
        int16_t w;
        memcpy(&w, panel + parts.weights + 2 * at, 2);
        got = w;
      }
      if (got != wanted) check_fail("channel %zu, tap %zu, depth %zu: got %d, want %d", c, t, d, got, wanted);
    }
    for (size_t at = parts.shift + 4 * nr; at < parts.size; at++) {
      if (panel[at] != 0) check_fail("byte %zu, behind the shifts, is not zero", at);
    }
  }
}

// How many planes weights from `lo` to `hi` take: a difference of 128 is none of int8's, one of -128 none that a plain layout may have, and a second plane
// reaches as far as the zero point is large.
static void check_planes(void) {
  static const struct {
    int32_t zero_point, lo, hi;
    size_t vertical, plain;
  } cases[] = {
      {0, -128, 127, 1, 1},    {1, -126, 127, 1, 1},   {1, -127, 127, 1, 0},  {1, -128, 127, 2, 0},    {-1, -128, 126, 1, 1},   {-1, -128, 127, 2, 0},
      {127, 0, 127, 1, 1},     {127, -1, 127, 1, 0},   {127, -2, 127, 2, 0},  {127, -128, 127, 2, 0},  {-127, -128, 0, 1, 1},   {-127, -128, 1, 2, 0},
      {-127, -128, 127, 2, 0}, {-128, -128, -1, 1, 1}, {-128, -128, 0, 2, 0}, {-128, -128, 126, 2, 0}, {-128, -128, 127, 3, 0},
  };
  static const struct tvmq_layout vertical = {.nr = 16, .kr = 4, .ku = 4, .weight_bytes = 1, .acc_bytes = 4, .out_rows = 1, .lanes = 1};
  static const struct tvmq_layout plain = {.nr = 16, .kr = 1, .ku = 1, .weight_bytes = 1, .acc_bytes = 4};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (size_t in_one = 0; in_one < 2; in_one++) {  // both ends in one channel, or in two
      const uint8_t flip = check_one_in(2) ? 0x80 : 0, weights[] = {(uint8_t)cases[i].lo ^ flip, (uint8_t)cases[i].hi ^ flip};
      struct tvmq_channel channels[2];
      for (size_t c = 0; c < 2; c++) {
        channels[c] = (struct tvmq_channel){
            .weights = weights + c * !in_one, .flip = flip, .zero_point = cases[i].zero_point, .n_taps = 1 + in_one, .tap_stride = 1, .n_depths = 1};
      }
      check_case("zero point %d, weights %d..%d, flip %#x, %zu to a channel", cases[i].zero_point, cases[i].lo, cases[i].hi, flip, 1 + in_one);
      const size_t n = 2 - in_one, v = tvmq_depthwise_planes_of(&vertical, channels, n), p = tvmq_depthwise_planes_of(&plain, channels, n);
      if (v != cases[i].vertical || p != cases[i].plain) check_fail("%zu planes, %zu plain; want %zu and %zu", v, p, cases[i].vertical, cases[i].plain);
    }
  }
}

// Vertical depthwise panels, group by group in the order that layout.h gives.
static void check_vertical(void) {
  enum { MAX_LANES = 4, MAX_NR = 16 * MAX_LANES, MAX_FILTER = 7 };
  static uint8_t filter[MAX_FILTER * MAX_FILTER * MAX_NR];
  static _Alignas(TVMQ_ALIGNMENT) uint8_t panel[1 << 18];
  for (size_t i = 0; i < (check_quick ? 60 : 600); i++) {
    const size_t lanes = (size_t)1 << check_below(3), nr = 16 * lanes, kr = check_one_in(4) ? 2 : 4, n = 1 + check_below((uint32_t)nr);
    const size_t out_rows = 1 + check_below(3), row_step = out_rows == 1 ? 0 : 1 + check_below(2);
    const struct tvmq_layout layout = {.nr = (uint8_t)nr,
                                       .kr = (uint8_t)kr,
                                       .ku = (uint8_t)kr,
                                       .weight_bytes = 1,
                                       .acc_bytes = 4,
                                       .out_rows = (uint8_t)out_rows,
                                       .row_step = (uint8_t)row_step,
                                       .lanes = (uint8_t)lanes};
    const size_t filter_h = 1 + check_below(MAX_FILTER), filter_w = 1 + check_below(MAX_FILTER);
    const int32_t zero_point = check_one_in(4) ? 0 : check_one_in(4) ? INT8_MIN : (int32_t)check_between(-128, 127);
    const uint8_t flip = check_one_in(2) ? 0x80 : 0;
    struct tvmq_channel channels[MAX_NR];
    struct tvmq_channel_params params[MAX_NR];
    const int32_t lo = (int32_t)check_between(-128, 127), hi = check_one_in(2) ? INT8_MAX : (int32_t)check_between(lo, 127);
    for (size_t t = 0; t < sizeof filter; t++) filter[t] = (uint8_t)check_between(lo, hi) ^ flip;
    for (size_t c = 0; c < n; c++) {
      channels[c] = (struct tvmq_channel){
          .weights = filter + c, .flip = flip, .zero_point = zero_point, .n_taps = filter_h * filter_w, .tap_stride = n, .n_depths = 1, .depth_stride = 1};
      params[c] = draw_params();
    }
    const size_t n_planes = tvmq_depthwise_planes_of(&layout, channels, n);
    const size_t groups = ((out_rows - 1) * row_step + filter_h + kr - 1) / kr;
    check_case("nr %zu of %zu, kr %zu, out_rows %zu, row_step %zu, filter %zux%zu, zero point %d, planes %zu", n, nr, kr, out_rows, row_step, filter_h,
               filter_w, zero_point, n_planes);
    struct tvmq_panel parts;
    const size_t depth = tvmq_depthwise_depth(&layout, filter_h, filter_w, n_planes);
    if (depth != n_planes * filter_w * groups * out_rows * kr) check_fail("depth %zu", depth);
    if (!tvmq_panel_layout(&layout, depth, &parts) || parts.size > sizeof panel) check_fail("panel of %zu bytes", parts.size);
    check_random_bytes(panel, parts.size);
    tvmq_pack_depthwise(&layout, channels, params, n, filter_h, filter_w, n_planes, panel);

    for (size_t c = 0; c < nr; c++) {
      const size_t position = (c % 16 / 4 * lanes + c / 16) * 4 + c % 4;
      check_params(&layout, &parts, panel, position, c < n ? &params[c] : NULL);
      for (size_t kx = 0; kx < filter_w; kx++) {
        for (size_t out_row = 0; out_row < out_rows; out_row++) {
          for (size_t row = 0; row < groups * kr; row++) {
            const size_t ky = row - out_row * row_step;  // huge above the filter
            int32_t wanted = 0, got = 0;
            if (c < n && ky < filter_h) wanted = (int8_t)(filter[(ky * filter_w + kx) * n + c] ^ flip) - zero_point;
            for (size_t plane = 0; plane < n_planes; plane++) {
              const size_t group = (plane * filter_w + kx) * groups + row / kr;
              got += (int8_t)panel[parts.weights + ((group * out_rows + out_row) * nr + position) * kr + row % kr];
            }
            if (got != wanted) check_fail("channel %zu, column %zu, output row %zu, table row %zu: got %d, want %d", c, kx, out_row, row, got, wanted);
          }
        }
      }
    }
  }
}

// Every input that a channel of up to three weights can see: the folded form equals the direct one, and the bounds are reached and never passed.
static void check_fold(void) {
  for (size_t i = 0; i < (check_quick ? 200 : 4000); i++) {
    enum { MAX_WEIGHTS = 3 };
    uint8_t weights[MAX_WEIGHTS];
    check_random_bytes(weights, sizeof weights);
    const size_t n_weights = 1 + check_below(MAX_WEIGHTS);
    const bool in_taps = check_one_in(2);
    const struct tvmq_channel channel = {.weights = weights,
                                         .flip = check_one_in(2) ? 0x80 : 0,
                                         .zero_point = check_one_in(3) ? 0 : (int32_t)check_between(-128, 127),
                                         .n_taps = in_taps ? n_weights : 1,
                                         .tap_stride = 1,
                                         .n_depths = in_taps ? 1 : n_weights,
                                         .depth_stride = 1};
    if (check_one_in(4)) weights[0] = (uint8_t)INT8_MIN ^ channel.flip;
    const int32_t span = n_weights == 1 ? 256 : n_weights == 2 ? 40 : 12;
    const int32_t in_min = check_one_in(2) ? INT8_MIN : (int32_t)check_between(INT8_MIN, INT8_MAX - span + 1), in_max = in_min + span - 1;
    const int32_t in_zero_point = (int32_t)check_between(INT8_MIN, INT8_MAX), a_offset = check_one_in(2) ? 128 : 0;
    const int64_t bias = check_between(-100000, 100000);
    check_case("weights %d of %#x %#x %#x flip %#x, zero points %d %d, a_offset %d, inputs %d..%d, bias %lld", (int)n_weights, weights[0], weights[1],
               weights[2], channel.flip, in_zero_point, channel.zero_point, a_offset, in_min, in_max, (long long)bias);
    const struct tvmq_folded folded = tvmq_fold(&channel, bias, in_zero_point, a_offset, in_min, in_max);

    int64_t lo = INT64_MAX, hi = INT64_MIN;
    int32_t w[MAX_WEIGHTS];
    for (size_t j = 0; j < n_weights; j++) w[j] = (int8_t)(weights[j] ^ channel.flip);
    int32_t n_inputs = 1;
    for (size_t j = 0; j < n_weights; j++) n_inputs *= span;
    for (int32_t input = 0; input < n_inputs; input++) {
      int64_t direct = bias, kernel = folded.bias;
      for (int32_t j = 0, rest = input; j < (int32_t)n_weights; j++, rest /= span) {
        const int32_t x = in_min + rest % span;
        direct += (int64_t)(x - in_zero_point) * (w[j] - channel.zero_point);
        kernel += (int64_t)(x + a_offset) * w[j] - (int64_t)channel.zero_point * (x + a_offset);
      }
      if (direct != kernel) check_fail("folded %lld, direct %lld", (long long)kernel, (long long)direct);
      lo = direct < lo ? direct : lo;
      hi = direct > hi ? direct : hi;
    }
    if (folded.lo != lo || folded.hi != hi)
      check_fail("bounds %lld..%lld, true ones %lld..%lld", (long long)folded.lo, (long long)folded.hi, (long long)lo, (long long)hi);
  }
}

// Many weights, with and without gaps, some runs of them all at one end: the sums of what is folded and bounded, weight by weight.
static void check_fold_many(void) {
  enum { MAX_TAPS = 3, MAX_DEPTHS = 5000 };
  static uint8_t weights[MAX_TAPS * (MAX_DEPTHS + 1) * 2];
  for (size_t i = 0; i < (check_quick ? 50 : 500); i++) {
    check_random_bytes(weights, sizeof weights);
    if (check_one_in(2)) memset(weights, check_one_in(2) ? 0x7f : 0x80, sizeof weights);
    const size_t n_depths = 1 + check_below(check_one_in(2) ? 70 : MAX_DEPTHS), depth_stride = 1 + check_one_in(3);
    const struct tvmq_channel channel = {.weights = weights,
                                         .flip = check_one_in(2) ? 0x80 : 0,
                                         .zero_point = check_one_in(3)   ? 0
                                                       : check_one_in(2) ? INT8_MIN
                                                                         : (int32_t)check_between(-128, 127),
                                         .n_taps = 1 + check_below(MAX_TAPS),
                                         .tap_stride = n_depths * depth_stride + check_one_in(2),
                                         .n_depths = n_depths,
                                         .depth_stride = depth_stride};
    check_case("%zu taps %zu apart, %zu depths %zu apart, flip %#x, zero point %d", channel.n_taps, channel.tap_stride, n_depths, depth_stride, channel.flip,
               channel.zero_point);
    const int32_t in_zero_point = (int32_t)check_between(INT8_MIN, INT8_MAX);
    int64_t bias = 5, lo = 5, hi = 5;
    for (size_t j = 0; j < channel.n_taps * n_depths; j++) {
      const int32_t d = (int8_t)(weights[j / n_depths * channel.tap_stride + j % n_depths * depth_stride] ^ channel.flip) - channel.zero_point;
      bias -= (int64_t)d * in_zero_point;
      lo += (int64_t)d * ((d > 0 ? INT8_MIN : INT8_MAX) - in_zero_point);
      hi += (int64_t)d * ((d > 0 ? INT8_MAX : INT8_MIN) - in_zero_point);
    }
    const struct tvmq_folded folded = tvmq_fold(&channel, 5, in_zero_point, 0, INT8_MIN, INT8_MAX);
    if (folded.bias != bias || folded.lo != lo || folded.hi != hi) {
      check_fail("bias %lld, bounds %lld..%lld; want %lld, %lld..%lld", (long long)folded.bias, (long long)folded.lo, (long long)folded.hi, (long long)bias,
                 (long long)lo, (long long)hi);
    }
  }
}

const struct check check_pack[] = {
    {"panels", check_panels}, {"planes", check_planes}, {"vertical panels", check_vertical}, {"fold", check_fold}, {"fold many", check_fold_many}, {NULL, NULL},
};
