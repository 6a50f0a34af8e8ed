#include "base/memory.h"
#include "cpu/ops/conv/trim_filter.h"
#include "operators/geometry.h"
#include "unit.h"

// One axis; the other is 1 x 1 with a filter of 1.
struct axis_case {
  int32_t in, filter, stride, dilation;
  enum tvmq_padding padding;
  int32_t out, pad;
  const char *reason;
};

#define SAME TVMQ_PADDING_SAME
#define VALID TVMQ_PADDING_VALID
#define MAX INT32_MAX

static const char no_input[] = "input height or width is not positive", no_filter[] = "filter height or width is not positive";
static const char no_stride[] = "stride is not positive", no_dilation[] = "dilation is not positive";
static const char filter_too_large[] = "dilated filter is larger than 2^31 - 1";
static const char stride_too_large[] = "stride is too large: input size + stride exceeds 2^31 - 1";
static const char no_output[] = "VALID padding and a dilated filter larger than the input: no output";
static const char span_too_large[] = "padded input is larger than 2^31 - 1";

static const struct axis_case axis_cases[] = {
    // in, filter, stride, dilation, padding -> out, padding in front
    {224, 3, 2, 1, SAME, 112, 0, NULL},  // the odd row goes behind
    {224, 3, 1, 1, SAME, 224, 1, NULL},
    {225, 3, 2, 1, SAME, 113, 1, NULL},
    {7, 4, 1, 1, SAME, 7, 1, NULL},  // 3 rows of padding: 1 in front, 2 behind
    {8, 4, 2, 1, SAME, 4, 1, NULL},
    {5, 2, 1, 1, SAME, 5, 0, NULL},
    {10, 3, 1, 4, SAME, 10, 4, NULL},  // dilated to 9
    {10, 2, 3, 5, SAME, 4, 2, NULL},   // dilated to 6, 3 * 3 + 6 - 10 = 5 rows
    {10, 1, 3, 1, SAME, 4, 0, NULL},
    {10, 1, 4, 1, SAME, 3, 0, NULL},    // stride beyond the filter: -1 rows of padding become 0
    {10, 2, 7, 1, SAME, 2, 0, NULL},    // -1
    {100, 3, 50, 1, SAME, 2, 0, NULL},  // -47
    {1, 9, 1, 1, SAME, 1, 4, NULL},
    {3, 3, 100, 1, SAME, 1, 0, NULL},
    {7, 3, 1, 1, VALID, 5, 0, NULL},
    {7, 3, 2, 1, VALID, 3, 0, NULL},
    {8, 3, 2, 1, VALID, 3, 0, NULL},  // a last row that no window reaches
    {9, 3, 1, 4, VALID, 1, 0, NULL},  // dilated to exactly the input
    {9, 9, 5, 1, VALID, 1, 0, NULL},
    {5, 1, 7, 1, VALID, 1, 0, NULL},
    {1, 1, 1, MAX, SAME, 1, 0, NULL},  // a filter of 1 has nothing to dilate
    {1, 1, MAX - 1, 1, SAME, 1, 0, NULL},
    {MAX - 1, 1, 1, 1, VALID, MAX - 1, 0, NULL},
    {MAX - 1, 1, 1, 1, SAME, MAX - 1, 0, NULL},
    {1, MAX, 1, 1, SAME, 1, MAX / 2, NULL},

    {8, 3, 1, 4, VALID, 0, 0, no_output},  // TFLite: 0
    {5, 7, 1, 1, VALID, 0, 0, no_output},  // TFLite: -1
    {5, 7, 4, 1, VALID, 0, 0, no_output},  // TFLite: 0 by truncation
    {0, 3, 1, 1, SAME, 0, 0, no_input},
    {-1, 3, 1, 1, SAME, 0, 0, no_input},
    {5, 0, 1, 1, SAME, 0, 0, no_filter},
    {5, INT32_MIN, 1, 1, VALID, 0, 0, no_filter},
    {5, 3, 0, 1, SAME, 0, 0, no_stride},
    {5, 3, -2, 1, VALID, 0, 0, no_stride},
    {5, 3, 1, 0, SAME, 0, 0, no_dilation},
    {5, 3, 1, -1, VALID, 0, 0, no_dilation},
    {5, 3, 1, MAX, SAME, 0, 0, filter_too_large},
    {5, MAX, 1, MAX, VALID, 0, 0, filter_too_large},
    {5, 3, 1, 1 << 30, SAME, 0, 0, filter_too_large},
    {5, 3, MAX, 1, SAME, 0, 0, stride_too_large},
    {MAX, 1, 1, 1, VALID, 0, 0, stride_too_large},
    {MAX, MAX, MAX, MAX, SAME, 0, 0, filter_too_large},
    {MAX - 1, 3, 1, 1, SAME, 0, 0, span_too_large},
    {1 << 30, 2, 1, 1 << 30, SAME, 0, 0, span_too_large},
};

static void check_axis(const struct axis_case *c, size_t number, bool vertical) {
  struct tvmq_conv_desc desc = {.in_h = 1, .in_w = 1, .filter_h = 1, .filter_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1};
  desc.padding = c->padding;
  *(vertical ? &desc.in_h : &desc.in_w) = c->in;
  *(vertical ? &desc.filter_h : &desc.filter_w) = c->filter;
  *(vertical ? &desc.stride_h : &desc.stride_w) = c->stride;
  *(vertical ? &desc.dilation_h : &desc.dilation_w) = c->dilation;

  struct tvmq_geometry geometry = {-7, -7, -7, -7};
  const char *reason = tvmq_geometry(&desc, &geometry);
  char name[64];
  snprintf(name, sizeof name, "case %zu, %s", number, vertical ? "height" : "width");
  CHECK_STRING(reason, c->reason, name);
  if (c->reason != NULL) {
    CHECK(geometry.out_h == -7 && geometry.out_w == -7 && geometry.pad_top == -7 && geometry.pad_left == -7, "%s: refused but written", name);
    return;
  }
  const int32_t out = vertical ? geometry.out_h : geometry.out_w, other_out = vertical ? geometry.out_w : geometry.out_h;
  const int32_t pad = vertical ? geometry.pad_top : geometry.pad_left, other_pad = vertical ? geometry.pad_left : geometry.pad_top;
  CHECK(out == c->out, "%s: got %d, want %d", name, out, c->out);
  CHECK(pad == c->pad, "%s: got %d, want %d", name, pad, c->pad);
  CHECK(other_out == 1 && other_pad == 0, "%s: other axis %d, %d", name, other_out, other_pad);
}

// A border is as much more input, before which the padding begins: as if the input had its size, but for where it is.
static void check_border(void) {
  size_t wrong = 0, n = 0;
  for (int in = 1; in <= 8; in++) {
    for (int before = 0; before <= 4; before++) {
      for (int after = 0; after <= 4; after++) {
        for (int stride = 1; stride <= 3; stride++) {
          for (int padding = SAME; padding <= (int)VALID; padding++) {
            struct tvmq_conv_desc whole = {.in_h = before + in + after, .in_w = in, .filter_h = 3, .filter_w = 1, .stride_h = stride, .stride_w = 1};
            whole.dilation_h = whole.dilation_w = 2;
            whole.padding = (enum tvmq_padding)padding;
            struct tvmq_conv_desc down = whole, across = whole;
            down.in_h = in;
            down.border = (struct tvmq_border){.top = before, .bottom = after};
            across = (struct tvmq_conv_desc){
                .in_h = in, .in_w = in, .filter_h = 1, .filter_w = 3, .stride_h = 1, .stride_w = stride, .dilation_h = 2, .dilation_w = 2};
            across.padding = whole.padding;
            across.border = (struct tvmq_border){.left = before, .right = after};
            struct tvmq_geometry a, b, c;
            const char *reason = tvmq_geometry(&whole, &a);
            wrong += reason != tvmq_geometry(&down, &b) || reason != tvmq_geometry(&across, &c);
            if (reason == NULL) wrong += b.out_h != a.out_h || b.pad_top != a.pad_top + before || c.out_w != a.out_h || c.pad_left != a.pad_top + before;
            n++;
          }
        }
      }
    }
  }
  CHECK(wrong == 0, "%zu of %zu borders", wrong, n);

  struct tvmq_conv_desc desc = {.in_h = 5, .in_w = 5, .filter_h = 1, .filter_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1};
  struct tvmq_geometry g;
  int32_t *const sides[] = {&desc.border.top, &desc.border.bottom, &desc.border.left, &desc.border.right};
  for (size_t i = 0; i < N_ELEMENTS(sides); i++) {
    *sides[i] = -1;
    CHECK_STRING(tvmq_geometry(&desc, &g), "the border is negative", "negative");
    *sides[i] = MAX;
    CHECK_STRING(tvmq_geometry(&desc, &g), stride_too_large, "huge");
    *sides[i] = MAX - 6;
    CHECK_STRING(tvmq_geometry(&desc, &g), NULL, "as large as can be");
    *sides[i] = 0;
  }
  // The input itself is still needed.
  desc.border = (struct tvmq_border){.top = 3, .bottom = 3, .left = 3, .right = 3};
  desc.in_h = 0;
  CHECK_STRING(tvmq_geometry(&desc, &g), no_input, "nothing but border");
}

// Against the definition, by counting: SAME has an output wherever a stride starts, VALID wherever the whole filter fits.
static void check_small_shapes(void) {
  size_t wrong = 0, n = 0;
  for (int in = 1; in <= 12; in++) {
    for (int filter = 1; filter <= 6; filter++) {
      for (int stride = 1; stride <= 8; stride++) {
        for (int dilation = 1; dilation <= 4; dilation++) {
          const int effective = (filter - 1) * dilation + 1;
          int same = 0, valid = 0;
          for (int at = 0; at < in; at += stride) {
            same++;
            valid += at + effective <= in;
          }
          int last_row = (same - 1) * stride + effective, padding = 0;
          while (padding + in < last_row) padding++;
          struct tvmq_conv_desc desc = {.in_h = in, .in_w = in, .filter_h = filter, .filter_w = filter, .stride_h = stride, .stride_w = stride};
          desc.dilation_h = desc.dilation_w = dilation;
          struct tvmq_geometry g;
          desc.padding = SAME;
          wrong += tvmq_geometry(&desc, &g) != NULL || g.out_h != same || g.out_w != same || g.pad_top != padding / 2 || g.pad_left != padding / 2;
          desc.padding = VALID;
          const char *reason = tvmq_geometry(&desc, &g);
          wrong += valid == 0 ? reason == NULL : reason != NULL || g.out_h != valid || g.out_w != valid || g.pad_top != 0 || g.pad_left != 0;
          n += 2;
        }
      }
    }
  }
  CHECK(wrong == 0, "%zu of %zu shapes", wrong, n);
}

// The phases of a dilated axis visit every output once, and their grids hit the inputs that the windows are made of.
static void check_phases(void) {
  size_t n = 0, wrong = 0;
  for (int32_t out = 1; out <= 9; out++) {
    for (int32_t filter = 1; filter <= 3; filter++) {
      for (int32_t stride = 1; stride <= 4; stride++) {
        for (int32_t dilation = 1; dilation <= 6; dilation++) {
          const struct tvmq_axis a = tvmq_axis(40, out, filter, stride, dilation, 2);
          int visits[9] = {0};
          for (size_t phase = 0; phase < a.phases; phase++) {
            const size_t outputs = tvmq_phase_outputs(&a, phase);
            wrong += outputs == 0;
            for (size_t i = 0; i < outputs; i++) {
              const size_t o = phase + i * a.phases;
              visits[o]++;
              for (size_t k = 0; k < (size_t)filter; k++) {
                const ptrdiff_t grid = tvmq_first_input(&a, phase, 0) + (ptrdiff_t)((i * a.stride + k) * a.dilation);
                wrong += grid != (ptrdiff_t)(o * (size_t)stride + k * (size_t)dilation) - 2;
                wrong += i * a.stride + k >= tvmq_grid_points(&a, outputs);
              }
              wrong += tvmq_first_input(&a, phase, i) != (ptrdiff_t)(o * (size_t)stride) - 2;
            }
          }
          for (int32_t o = 0; o < 9; o++) wrong += visits[o] != (o < out);
          n++;
        }
      }
    }
  }
  CHECK(wrong == 0, "%zu wrong in %zu axes", wrong, n);
}

// Whether a tap meets the input under some output.
static bool meets(const struct tvmq_conv_desc *d, const struct tvmq_geometry *g, int tap) {
  for (int output = 0; output < g->out_w; output++) {
    const int at = output * d->stride_w + tap * d->dilation_w - g->pad_left;
    if (at >= 0 && at < d->in_w) return true;
  }
  return false;
}

// No tap is taken off that meets the input. Those that are kept lie where they lay, in the copy too; without dilation they begin and end with one that does.
static void check_cuts(void) {
  size_t n = 0, cut_off = 0, wrong = 0;
  for (int in = 1; in <= 5; in++) {
    for (int filter = 1; filter <= 7; filter++) {
      for (int stride = 1; stride <= 4; stride++) {
        for (int both = 0; both < 4 * 3; both++) {
          const int dilation = both % 4 + 1, border = both / 4 * 3;
          uint8_t weights[3 * 7 * 2];
          for (size_t i = 0; i < sizeof weights; i++) weights[i] = (uint8_t)i;
          const struct tvmq_conv_desc whole = {.in_h = 3,
                                               .in_w = in,
                                               .filter_h = 3,
                                               .filter_w = filter,
                                               .filter_c = 2,
                                               .out_c = 1,
                                               .stride_h = 1,
                                               .stride_w = stride,
                                               .dilation_h = 1,
                                               .dilation_w = dilation,
                                               .padding = SAME,
                                               .border = {.left = border, .right = border / 2},
                                               .filter = weights};
          struct tvmq_geometry before, after;
          wrong += tvmq_geometry(&whole, &before) != NULL;
          struct tvmq_conv_desc kept = whole;
          after = before;
          const struct tvmq_trim trim = tvmq_trim(&kept, &after);
          const int end = trim.left + kept.filter_w;
          bool any = false;
          for (int tap = 0; tap < filter; tap++) {
            any |= meets(&whole, &before, tap);
            wrong += (tap < trim.left || tap >= end) && meets(&whole, &before, tap);
          }
          wrong += kept.filter_w < 1 || after.pad_left < 0 || after.pad_left != before.pad_left - trim.left * dilation || after.out_w != before.out_w;
          wrong += trim.top != 0 || kept.filter_h != 3 || trim.filter_w != filter;
          wrong += any && !meets(&whole, &before, end - 1);
          wrong += any && dilation == 1 && !meets(&whole, &before, trim.left);
          for (int transposed = 0; transposed <= 1; transposed++) {
            uint8_t *copy;
            const uint8_t *part = tvmq_trimmed_filter(&trim, &kept, transposed, &copy);
            const bool whole_in_order = !transposed && kept.filter_w == filter;
            wrong += part != (whole_in_order ? weights : copy) || (copy == NULL) != whole_in_order;
            for (int i = 0; i < 3 * kept.filter_w * 2; i++) {
              const int x = i / 2 % kept.filter_w, y = i / 2 / kept.filter_w, at = transposed ? x * 3 + y : y * kept.filter_w + x;
              wrong += part[at * 2 + i % 2] != (y * filter + trim.left + x) * 2 + i % 2;
            }
            tvmq_free(copy);
          }
          cut_off += (size_t)(filter - kept.filter_w);
          n++;
        }
      }
    }
  }
  CHECK(wrong == 0 && cut_off > n / 4, "%zu wrong in %zu cuts, %zu taps taken off", wrong, n, cut_off);
}

// Sizes that may be 0, beside those that have a geometry.
static void check_out_size(void) {
  static const struct {
    int32_t in, filter, stride;
    enum tvmq_padding padding;
    int32_t conv, pool;  // -1: refused
  } cases[] = {
      {9, 5, 2, VALID, 3, 3},  {5, 5, 1, VALID, 1, 1},   {4, 5, 1, VALID, 0, 0},   {3, 5, 1, VALID, -1, 0},  {2, 5, 2, VALID, 0, 0},
      {1, 5, 2, VALID, -1, 0}, {1, 5, 3, VALID, 0, 0},   {0, 1, 1, VALID, 0, 0},   {0, 5, 5, VALID, 0, 0},   {0, 5, 1, SAME, 0, 0},
      {1, 5, 3, SAME, 1, 1},   {-1, 1, 1, SAME, -1, -1}, {4, 0, 1, VALID, -1, -1}, {4, 5, 0, VALID, -1, -1}, {4, 5, MAX, VALID, -1, -1},
  };
  for (size_t i = 0; i < 2 * N_ELEMENTS(cases); i++) {
    const bool across = i % 2 != 0;
    struct tvmq_conv_desc conv = {.in_h = 1, .in_w = 1, .filter_h = 1, .filter_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1};
    struct tvmq_pool_desc pool = {.in_h = 1, .in_w = 1, .filter_h = 1, .filter_w = 1, .stride_h = 1, .stride_w = 1};
    conv.padding = pool.padding = cases[i / 2].padding;
    *(across ? &conv.in_w : &conv.in_h) = *(across ? &pool.in_w : &pool.in_h) = cases[i / 2].in;
    *(across ? &conv.filter_w : &conv.filter_h) = *(across ? &pool.filter_w : &pool.filter_h) = cases[i / 2].filter;
    *(across ? &conv.stride_w : &conv.stride_h) = *(across ? &pool.stride_w : &pool.stride_h) = cases[i / 2].stride;
    int32_t out[2];
    const bool conv_accepted = tvmq_conv_out_size(&conv, &out[0], &out[1]) == NULL;
    CHECK((conv_accepted ? out[across] : -1) == cases[i / 2].conv && (!conv_accepted || out[!across] == 1), "case %zu: %d x %d", i / 2, out[0], out[1]);
    const bool pool_accepted = tvmq_pool_out_size(&pool, &out[0], &out[1]) == NULL;
    const int32_t other = across && pool_accepted && !conv_accepted ? 0 : 1;  // a width that comes out negative takes the height with it
    CHECK((pool_accepted ? out[across] : -1) == cases[i / 2].pool && (!pool_accepted || out[!across] == other), "case %zu: %d x %d", i / 2, out[0], out[1]);
  }
}

int main(void) {
  check_out_size();
  check_phases();
  check_cuts();
  for (size_t i = 0; i < N_ELEMENTS(axis_cases); i++) {
    check_axis(&axis_cases[i], i, true);
    check_axis(&axis_cases[i], i, false);
  }
  check_small_shapes();
  check_border();
  const struct tvmq_conv_desc unknown = {
      .in_h = 1, .in_w = 1, .filter_h = 1, .filter_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .padding = 2};
  struct tvmq_geometry geometry;
  CHECK_STRING(tvmq_geometry(&unknown, &geometry), "padding is neither SAME nor VALID", "unknown padding");
  return unit_report();
}
