// Layouts, packing and folding, against what their headers say.
#include <stdio.h>
#include <string.h>

#include "../../delegate/packing/pack_gemm.h"
#include "engine.h"

static void check_names(void) {
  static const struct {
    struct tvmq_layout layout;
    const char *name;
  } named[] = {
      {{.nr = 4, .kr = 4, .ku = 16, .weight_bytes = 1, .acc_bytes = 4, .a_offset = 128}, "s8n4k4u16+128"},
      {{.nr = 8, .kr = 1, .ku = 1, .weight_bytes = 1, .acc_bytes = 4}, "s8n8k1u1"},
      {{.nr = 16, .kr = 2, .ku = 8, .weight_bytes = 2, .acc_bytes = 8}, "s16n16k2u8a64"},
  };
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
    char name[TVMQ_LAYOUT_NAME];
    check_case("%s", named[i].name);
    const size_t length = tvmq_layout_name(&named[i].layout, name, sizeof name);
    if (strcmp(name, named[i].name) != 0 || length != strlen(name)) check_fail("got \"%s\" of length %zu", name, length);
  }
  const struct tvmq_layout longest = {.nr = 255, .kr = 255, .ku = 255, .weight_bytes = 2, .acc_bytes = 8, .a_offset = 255};
  char name[2 * TVMQ_LAYOUT_NAME];
  check_case("the longest name");
  if (tvmq_layout_name(&longest, name, sizeof name) >= TVMQ_LAYOUT_NAME) check_fail("\"%s\" does not fit TVMQ_LAYOUT_NAME", name);
}

// Equal names mean equal layouts, and the other way round.
static void check_equality(void) {
  for (size_t i = 0; i < 4000; i++) {
    uint8_t fields[2][6] = {{8, 4, 8, 1, 4, 0}, {8, 4, 8, 1, 4, 0}};
    static const uint8_t other[6] = {16, 8, 16, 2, 8, 128};
    for (size_t side = 0; side < 2; side++) {
      for (size_t f = 0; f < 6; f++) fields[side][f] = check_one_in(4) ? other[f] : fields[side][f];
    }
    struct tvmq_layout layouts[2];
    char names[2][TVMQ_LAYOUT_NAME];
    for (size_t side = 0; side < 2; side++) {
      const uint8_t *f = fields[side];
      layouts[side] = (struct tvmq_layout){.nr = f[0], .kr = f[1], .ku = f[2], .weight_bytes = f[3], .acc_bytes = f[4], .a_offset = f[5]};
      tvmq_layout_name(&layouts[side], names[side], TVMQ_LAYOUT_NAME);
    }
    check_case("%s and %s", names[0], names[1]);
    const bool equal = memcmp(fields[0], fields[1], sizeof fields[0]) == 0;
    if (tvmq_layout_equal(&layouts[0], &layouts[1]) != equal) check_fail("tvmq_layout_equal() says %d", !equal);
    if ((strcmp(names[0], names[1]) == 0) != equal) check_fail("the names do not tell");
  }
}

// layout.h draws the weights of four channels in pairs of depths; this reads the drawing itself.
static void check_picture(void) {
  enum { NR = 4, K = 4 };
  check_case("%s", TVMQ_LAYOUT_H);
  FILE *header = fopen(TVMQ_LAYOUT_H, "r");
  if (!header) check_fail("cannot be read");
  int8_t order[NR][K];
  char line[400];
  unsigned seen = 0;
  while (fgets(line, sizeof line, header)) {
    int n, v[K];
    if (sscanf(line, "// n=%d %d %d | %d %d", &n, &v[0], &v[1], &v[2], &v[3]) != 5 || n < 0 || n >= NR) continue;
    for (size_t k = 0; k < K; k++) order[n][k] = (int8_t)v[k];
    seen |= 1u << n;
  }
  fclose(header);
  if (seen != (1 << NR) - 1) check_fail("the picture is not there");

  const struct tvmq_layout layout = {.nr = NR, .kr = 2, .ku = 4, .weight_bytes = 1, .acc_bytes = 4};
  struct tvmq_channel channels[NR];
  const struct tvmq_channel_params params[NR] = {{0}};
  for (size_t n = 0; n < NR; n++) {
    channels[n] = (struct tvmq_channel){.weights = (const uint8_t *)order[n], .n_taps = 1, .tap_stride = K, .n_depths = K, .depth_stride = 1};
  }
  _Alignas(TVMQ_PANEL_ALIGNMENT) uint8_t panel[TVMQ_PANEL_ALIGNMENT * 2];
  struct tvmq_panel parts;
  if (!tvmq_panel_layout(&layout, K, &parts) || parts.size > sizeof panel) check_fail("panel of %zu bytes", parts.size);
  tvmq_pack_panel(&layout, channels, params, NR, panel);
  for (size_t i = 0; i < NR * K; i++) {
    if (panel[parts.weights + i] != i) check_fail("byte %zu holds what the picture numbers %d", i, panel[parts.weights + i]);
  }
}

static void check_sizes(void) {
  for (size_t i = 0; i < 2000; i++) {
    const struct tvmq_layout layout = {
        .nr = (uint8_t)(1 + check_below(255)), .kr = 1, .ku = 1, .weight_bytes = (uint8_t)(1 + check_below(2)), .acc_bytes = check_one_in(2) ? 4 : 8};
    const size_t depth = check_random() >> (20 + check_below(44));
    struct tvmq_panel parts;
    check_case("nr %d, weight_bytes %d, acc_bytes %d, depth %zu", layout.nr, layout.weight_bytes, layout.acc_bytes, depth);
    const unsigned __int128 weights = (unsigned __int128)depth * layout.nr * layout.weight_bytes;
    const unsigned __int128 size = (weights + (size_t)layout.nr * (layout.acc_bytes + 8u) + 63) / 64 * 64;
    const bool fits = size <= SIZE_MAX - 63;
    if (tvmq_panel_layout(&layout, depth, &parts) != fits) {
      if (size > SIZE_MAX - 127 && size <= SIZE_MAX) continue;
      check_fail("says that it %s", fits ? "does not fit" : "fits");
    }
    if (!fits) continue;
    if (parts.weights != (size_t)layout.nr * layout.acc_bytes) check_fail("weights at %zu", parts.weights);
    if (parts.multiplier != parts.weights + (size_t)weights) check_fail("multipliers at %zu", parts.multiplier);
    if (parts.shift != parts.multiplier + 4u * layout.nr) check_fail("shifts at %zu", parts.shift);
    if (parts.size != (size_t)size) check_fail("size %zu", parts.size);
  }
  const struct tvmq_layout layout = {.nr = 8, .kr = 1, .ku = 1, .weight_bytes = 1, .acc_bytes = 4};
  struct tvmq_panel parts;
  for (size_t depth = SIZE_MAX / 8 - 20; depth != 0; depth = depth == SIZE_MAX ? 0 : depth < SIZE_MAX / 8 + 20 ? depth + 1 : SIZE_MAX) {
    check_case("depth %zu", depth);
    const bool fits = (unsigned __int128)depth * 8 + 96 + 63 <= SIZE_MAX;
    if (tvmq_panel_layout(&layout, depth, &parts) != fits) check_fail("says that it %s", fits ? "does not fit" : "fits");
  }
}

// Every element of a panel, weight by weight, from a filter read with random strides.
static void check_panels(void) {
  enum { MAX_NR = 24, MAX_TAPS = 4, MAX_DEPTHS = 40 };
  static uint8_t filter[MAX_NR * MAX_TAPS * MAX_DEPTHS * 2];
  static _Alignas(TVMQ_PANEL_ALIGNMENT) uint8_t panel[MAX_NR * (16 + MAX_TAPS * (MAX_DEPTHS + 32) * 2) + 128];
  for (size_t i = 0; i < (check_quick ? 200 : 3000); i++) {
    const size_t kr = (size_t)1 << check_below(5), ku = kr * (1 + check_below(2));
    const struct tvmq_layout layout = {.nr = (uint8_t)(1 + check_below(MAX_NR)),
                                       .kr = (uint8_t)kr,
                                       .ku = (uint8_t)ku,
                                       .weight_bytes = (uint8_t)(1 + check_below(2)),
                                       .acc_bytes = check_one_in(2) ? 4 : 8};
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
      params[c] = (struct tvmq_channel_params){(int64_t)check_random(), (int32_t)check_random(), (int32_t)check_between(-31, 30)};
    }
    struct tvmq_panel parts;
    check_case("nr %zu of %zu, kr %zu, ku %zu, weight_bytes %d, acc_bytes %d, taps %zu, depths %zu", n, nr, kr, ku, layout.weight_bytes, layout.acc_bytes,
               n_taps, n_depths);
    if (!tvmq_panel_layout(&layout, n_taps * padded, &parts)) check_fail("the size does not fit");
    check_random_bytes(panel, sizeof panel);
    uint8_t after[64];
    memcpy(after, panel + parts.size, sizeof after);
    tvmq_pack_panel(&layout, channels, params, n, panel);
    if (memcmp(after, panel + parts.size, sizeof after) != 0) check_fail("bytes behind the panel were written");

    for (size_t c = 0; c < nr; c++) {
      const struct tvmq_channel_params p = c < n ? params[c] : (struct tvmq_channel_params){0, 0, 0};
      int64_t bias = 0;
      int32_t multiplier, shift;
      memcpy(&bias, panel + c * layout.acc_bytes, layout.acc_bytes);
      memcpy(&multiplier, panel + parts.multiplier + 4 * c, 4);
      memcpy(&shift, panel + parts.shift + 4 * c, 4);
      if (bias != (layout.acc_bytes == 8 ? p.bias : (int64_t)(uint32_t)p.bias)) check_fail("channel %zu: bias %lld", c, (long long)bias);
      if (multiplier != p.multiplier || shift != p.shift) check_fail("channel %zu: multiplier %d, shift %d", c, multiplier, shift);
    }
    for (size_t at = 0; at < n_taps * padded * nr; at++) {
      // Groups of nr channels x kr depths, one after the other along the depth of a tap, tap after tap.
      const size_t c = at / kr % nr, k = at / (nr * kr) * kr + at % kr, t = k / padded, d = k % padded;
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

    int64_t lo = INT64_MAX, hi = INT64_MIN, abs_sum = 0;
    bool min_weight = false;
    int32_t w[MAX_WEIGHTS];
    for (size_t j = 0; j < n_weights; j++) {
      w[j] = (int8_t)(weights[j] ^ channel.flip);
      abs_sum += w[j] < channel.zero_point ? channel.zero_point - w[j] : w[j] - channel.zero_point;
      min_weight |= w[j] == INT8_MIN;
    }
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
    if (folded.abs_sum != abs_sum || folded.min_weight != min_weight) check_fail("abs_sum %lld, min_weight %d", (long long)folded.abs_sum, folded.min_weight);
  }
}

const struct check check_pack[] = {
    {"layout names", check_names},
    {"layout equality", check_equality},
    {"layout picture", check_picture},
    {"panel sizes", check_sizes},
    {"panels", check_panels},
    {"fold", check_fold},
    {NULL, NULL},
};
