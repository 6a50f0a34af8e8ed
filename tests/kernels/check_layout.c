// Layouts: names, sizes, and the picture in layout.h.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engine.h"
#include "packing/pack_gemm.h"

static void check_names(void) {
  static const struct {
    struct tvmq_layout layout;
    const char *name;
  } named[] = {
      {{.nr = 4, .kr = 4, .ku = 16, .weight_bytes = 1, .acc_bytes = 4, .a_offset = 128}, "s8n4k4u16+128"},
      {{.nr = 8, .kr = 1, .ku = 1, .weight_bytes = 1, .acc_bytes = 4}, "s8n8k1u1"},
      {{.nr = 16, .kr = 2, .ku = 8, .weight_bytes = 2, .acc_bytes = 8}, "s16n16k2u8a64"},
      {{.nr = 16, .kr = 2, .ku = 8, .weight_bytes = 1, .acc_bytes = 4, .rotation = 4}, "s8n16k2u8r4"},
      {{.nr = 64, .kr = 4, .ku = 4, .weight_bytes = 1, .acc_bytes = 4, .out_rows = 2, .row_step = 1, .lanes = 4, .a_offset = 128}, "s8n64k4u4v2s1l4+128"},
  };
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
    char name[TVMQ_LAYOUT_NAME];
    check_case("%s", named[i].name);
    const size_t length = tvmq_layout_name(&named[i].layout, name, sizeof name);
    if (strcmp(name, named[i].name) != 0 || length != strlen(name)) check_fail("got \"%s\" of length %zu", name, length);
  }
  const struct tvmq_layout longest = {
      .nr = 255, .kr = 255, .ku = 255, .weight_bytes = 2, .acc_bytes = 8, .out_rows = 255, .row_step = 255, .lanes = 255, .a_offset = 255, .rotation = 255};
  char name[2 * TVMQ_LAYOUT_NAME];
  check_case("the longest name");
  if (tvmq_layout_name(&longest, name, sizeof name) >= TVMQ_LAYOUT_NAME) check_fail("\"%s\" does not fit TVMQ_LAYOUT_NAME", name);
}

static void check_widths(void) {
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    const struct tvmq_layout *layout = &tvmq_variants[i].layout;
    check_case("%s", tvmq_variants[i].name);
    if (layout->weight_bytes != 0 && layout->nr > TVMQ_MAX_NR) check_fail("%d channels: TVMQ_MAX_NR is %d", layout->nr, TVMQ_MAX_NR);
  }
}

// Equal names mean equal layouts, and the other way round; every member counts.
static void check_equality(void) {
  enum { MEMBERS = sizeof(struct tvmq_layout) };
  static const struct tvmq_layout choices[2] = {
      {.nr = 8, .kr = 4, .ku = 8, .weight_bytes = 1, .acc_bytes = 4, .out_rows = 1, .row_step = 1, .lanes = 1, .a_offset = 0, .rotation = 0},
      {.nr = 16, .kr = 8, .ku = 16, .weight_bytes = 2, .acc_bytes = 8, .out_rows = 2, .row_step = 2, .lanes = 4, .a_offset = 128, .rotation = 4},
  };
  for (size_t i = 0; i < 4000; i++) {
    uint8_t bytes[2][MEMBERS];
    const size_t common = check_below(2);
    for (size_t m = 0; m < MEMBERS; m++) {
      for (size_t side = 0; side < 2; side++) bytes[side][m] = ((const uint8_t *)&choices[check_one_in(8) ? !common : common])[m];
    }
    struct tvmq_layout layouts[2];
    char names[2][TVMQ_LAYOUT_NAME];
    for (size_t side = 0; side < 2; side++) {
      memcpy(&layouts[side], bytes[side], MEMBERS);
      tvmq_layout_name(&layouts[side], names[side], TVMQ_LAYOUT_NAME);
    }
    check_case("%s and %s", names[0], names[1]);
    const bool equal = memcmp(bytes[0], bytes[1], MEMBERS) == 0;
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
  _Alignas(TVMQ_ALIGNMENT) uint8_t panel[TVMQ_ALIGNMENT * 2];
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

const struct check check_layout[] = {
    {"layout names", check_names},     {"panel widths", check_widths}, {"layout equality", check_equality},
    {"layout picture", check_picture}, {"panel sizes", check_sizes},   {NULL, NULL},
};
