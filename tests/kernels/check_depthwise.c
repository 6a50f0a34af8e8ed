// Depthwise convolution, int8 and 16x8.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "layer.h"
#include "packing/pack_depthwise.h"

enum { MAX_COLS = 20, MAX_STEP = 3, MAX_FILTER_H = 10, MAX_FILTER_W = 8, MAX_BLOCKS = 3, LARGE_FILTER_H = 23, LARGE_FILTER_W = 31 };

struct shape {
  size_t n, n_cols, filter_h, filter_w, stride_h, stride_w;
};

static int32_t values[LAYER_POOL * LAYER_MAX_CHANNELS];

static void sum_windows(struct layer *layer, const uint8_t *picks, size_t pixels_stride, const struct shape *s) {
  const size_t pixel_values = layer_padded_n(layer), n_taps = s->filter_h * s->filter_w;
  for (size_t i = 0; i < layer->n_rows * layer->n_cols; i++) {
    int64_t *sums = layer->sums + i * layer->n;
    for (size_t n = 0; n < layer->n; n++) sums[n] = 0;
    for (size_t t = 0; t < n_taps; t++) {
      const size_t y = i / layer->n_cols * s->stride_h + t / s->filter_w;
      const size_t x = i % layer->n_cols * s->stride_w + t % s->filter_w;
      const int32_t *pixel = values + picks[y * pixels_stride + x] * pixel_values;
      for (size_t n = 0; n < layer->n; n++) sums[n] += (int64_t)pixel[n] * layer->weights[n * n_taps + t];
    }
  }
}

// Panels of blocks of channels, each with the planes that its weights need.
struct panels {
  const uint8_t *first;
  size_t n_blocks, bytes;  // bytes of one
  size_t planes[MAX_BLOCKS];
};

static struct panels pack(const struct layer *layer, const struct shape *s, enum guard_side side) {
  const struct tvmq_layout *layout = &layer->variant->layout;
  const size_t nr = layout->nr;
  struct tvmq_channel channels[LAYER_MAX_CHANNELS];
  struct tvmq_channel_params params[LAYER_MAX_CHANNELS];
  layer_channels(layer, channels, params);
  struct panels panels = {.n_blocks = layer_padded_n(layer) / nr};
  size_t valid[MAX_BLOCKS], most = 0;
  for (size_t b = 0; b < panels.n_blocks; b++) {
    valid[b] = b + 1 < panels.n_blocks ? nr : layer->n - b * nr;
    panels.planes[b] = tvmq_depthwise_planes_of(layout, channels + b * nr, valid[b]);
    most = panels.planes[b] > most ? panels.planes[b] : most;
  }
  struct tvmq_panel parts;
  if (!tvmq_panel_layout(layout, tvmq_depthwise_depth(layout, s->filter_h, s->filter_w, most), &parts)) check_fail("the panel's size does not fit");
  panels.bytes = parts.size;
  void *written;
  panels.first = layer_panel(panels.n_blocks * panels.bytes, side, &written);
  for (size_t b = 0; b < panels.n_blocks; b++) {
    tvmq_pack_depthwise(layout, channels + b * nr, params + b * nr, valid[b], s->filter_h, s->filter_w, panels.planes[b],
                        (uint8_t *)written + b * panels.bytes);
  }
  return panels;
}

static void check_shape(const struct tvmq_variant *variant, const struct shape *s) {
  static struct guard pool, table;
  if (!pool.first) {
    pool = guard_create(LAYER_POOL, LAYER_MAX_CHANNELS * sizeof(int16_t), GUARD_READ_ONLY);
    table = guard_create(1, 1 << 18, GUARD_READ_ONLY);
  }
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const size_t nr = variant->layout.nr;
  struct layer layer;
  layer_draw(&layer, variant, s->n, s->filter_h * s->filter_w, 1, false);
  layer.n_rows = variant->mr + (check_one_in(2) ? 0 : check_below(2 * variant->mr + 2));
  layer.n_cols = s->n_cols;
  const size_t padded_n = layer_padded_n(&layer);
  layer.col_stride = (padded_n + (check_one_in(2) ? 0 : check_below(40))) * layer.stored;
  layer.row_stride = layer.n_cols * layer.col_stride + (check_one_in(2) ? 0 : check_below(40)) * layer.stored;

  layer_draw_pool(&layer, &pool, padded_n, side, values);
  const size_t n_rows = (layer.n_rows - 1) * s->stride_h + s->filter_h;
  const size_t width = (s->n_cols - 1) * s->stride_w + s->filter_w;
  // The table ends with the last pixel that the kernel may ask for.
  const size_t pixels_stride = width + check_below(4), n_pixels = (n_rows - 1) * pixels_stride + width;
  const size_t channel_offset = check_one_in(2) ? 0 : check_below(4) * nr * layer.element;
  static uint8_t picks[1 << 15];
  const void **pixels = guard_at(&table, 0, n_pixels * sizeof *pixels, side);
  const void **written = guard_writable(&table, pixels);
  for (size_t i = 0; i < n_pixels; i++) {
    picks[i] = (uint8_t)check_below(LAYER_POOL);
    written[i] = (const void *)((uintptr_t)guard_at(&pool, picks[i], padded_n * layer.element, side) - channel_offset);
  }
  sum_windows(&layer, picks, pixels_stride, s);
  layer_draw_stage(&layer);

  const struct panels panels = pack(&layer, s, side);
  uint8_t *out = layer_out(&layer, side);
  struct tvmq_depthwise_args args = {
      .pixels = pixels,
      .pixels_stride = pixels_stride,
      .n_rows = layer.n_rows,
      .n_cols = s->n_cols,
      .filter_h = s->filter_h,
      .filter_w = s->filter_w,
      .stride_h = s->stride_h,
      .stride_w = s->stride_w,
      .panel_bytes = panels.bytes,
      .out_col_stride = layer.col_stride,
      .out_row_stride = layer.row_stride,
      .in_flip = layer_kernel_flip(&layer),
      .stage = &layer.stage,
  };
  check_case("filter %zux%zu, stride %zux%zu, rows %zu, columns %zu, pixels_stride %zu, channel_offset %zu, out strides %zu %zu, %s", s->filter_h, s->filter_w,
             s->stride_h, s->stride_w, layer.n_rows, s->n_cols, pixels_stride, channel_offset, layer.row_stride, layer.col_stride, layer_text(&layer));
  // One call for all neighbours with as many planes.
  for (size_t b = 0; b < panels.n_blocks; b += args.n_blocks) {
    args.n_blocks = 1;
    while (b + args.n_blocks < panels.n_blocks && panels.planes[b + args.n_blocks] == panels.planes[b]) args.n_blocks++;
    args.channel_offset = channel_offset + b * nr * layer.element;
    args.n_planes = panels.planes[b];
    args.filter_zero_point = args.n_planes == 0 ? layer.filter_zero_point : 0;
    args.panel = panels.first + b * panels.bytes;
    args.out = out + b * nr * layer.stored;
    CHECK_CALL(variant->fn.depthwise, &args);
  }
  layer_compare(&layer);
}

// A random shape that the variant computes.
static struct shape draw_shape(const struct tvmq_variant *variant) {
  const struct shape drawn = {
      .n = check_below(MAX_BLOCKS) * variant->layout.nr + 1 + check_below(variant->layout.nr),
      .n_cols = 1 + check_below(MAX_COLS),
      .filter_h = 1 + check_below(7),
      .filter_w = 1 + check_below(7),
      .stride_h = 1 + check_below(MAX_STEP),
      .stride_w = 1 + check_below(MAX_STEP),
  };
  return drawn;
}

// Runs the shape with what the variant is restricted to in place.
static void check_restricted(const struct tvmq_variant *variant, struct shape s) {
  if (variant->only.filter_h) s.filter_h = variant->only.filter_h;
  if (variant->only.filter_w) s.filter_w = variant->only.filter_w;
  if (variant->only.stride) {
    if (variant->mr > 1) s.stride_h = variant->only.stride;
    if (s.filter_w > 1) s.stride_w = variant->only.stride;
  }
  check_shape(variant, &s);
}

static void check(const struct tvmq_variant *variant) {
  for (size_t i = 0; i <= 49; i++) {
    struct shape s = draw_shape(variant);
    s.filter_h = i < 49 ? 1 + i / 7 : MAX_FILTER_H;
    s.filter_w = i < 49 ? 1 + i % 7 : MAX_FILTER_W;
    check_restricted(variant, s);
  }
  for (size_t steps = 0; steps < 81; steps++) {
    struct shape s = draw_shape(variant);
    s.stride_h = 1 + steps % 3;
    s.stride_w = 1 + steps / 3 % 3;
    s.filter_h = 1 + steps / 9 % 3;
    s.filter_w = 1 + steps / 27;
    check_restricted(variant, s);
  }
  for (size_t n_cols = 1; n_cols <= MAX_COLS; n_cols++) {
    struct shape s = draw_shape(variant);
    s.n_cols = n_cols;
    check_restricted(variant, s);
  }
  for (size_t n = 1; n <= variant->layout.nr; n++) {
    struct shape s = draw_shape(variant);
    s.n = n;
    check_restricted(variant, s);
  }
  // Windows whose sums of 16x8 exceed int32.
  for (size_t i = 0; i < (check_quick ? 8 : 24); i++) {
    struct shape s = draw_shape(variant);
    s.n = 1 + check_below(variant->layout.nr);
    s.filter_h = LARGE_FILTER_H;
    s.filter_w = LARGE_FILTER_W;
    check_restricted(variant, s);
  }
  for (size_t i = 0; i < (check_quick ? 150 : 400); i++) check_restricted(variant, draw_shape(variant));
}

// ---- bench: one tile of rows, all blocks

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_depthwise_args args;
};

struct layer_shape {
  size_t cols, channels, filter, stride;
};

static struct {
  _Alignas(64) uint8_t panels[1 << 17], in[1 << 20], out[1 << 18];
  const void *pixels[1 << 14];
} memory;

// One tile of rows; false: the shape is none of the variant's, or too large.
static bool make_problem(const struct tvmq_variant *variant, const struct layer_shape *s, const struct tvmq_stage *stage, struct problem *p) {
  if ((variant->only.filter_h && variant->only.filter_h != s->filter) || (variant->only.filter_w && variant->only.filter_w != s->filter)) return false;
  if (variant->only.stride && variant->only.stride != s->stride) return false;
  const size_t element = variant->family == TVMQ_FAMILY_DEPTHWISE_S16 ? 2 : 1, nr = variant->layout.nr, n_blocks = (s->channels + nr - 1) / nr;
  const size_t pixel_bytes = n_blocks * nr * element, width = (s->cols - 1) * s->stride + s->filter;
  const size_t n_pixels = width * ((variant->mr - 1) * s->stride + s->filter);
  struct tvmq_panel parts;
  tvmq_panel_layout(&variant->layout, tvmq_depthwise_depth(&variant->layout, s->filter, s->filter, 1), &parts);
  if (n_pixels > sizeof memory.pixels / sizeof memory.pixels[0] || n_pixels * pixel_bytes > sizeof memory.in ||
      variant->mr * s->cols * pixel_bytes > sizeof memory.out || n_blocks * parts.size > sizeof memory.panels) {
    return false;
  }
  check_random_bytes(memory.in, n_pixels * pixel_bytes);
  for (size_t j = 0; j < n_pixels; j++) memory.pixels[j] = memory.in + j * pixel_bytes;
  check_bench_panels(variant, &parts, n_blocks, memory.panels);
  *p = (struct problem){
      .variant = variant,
      .args =
          {
              .pixels = memory.pixels,
              .pixels_stride = width,
              .n_rows = variant->mr,
              .n_cols = s->cols,
              .filter_h = s->filter,
              .filter_w = s->filter,
              .stride_h = s->stride,
              .stride_w = s->stride,
              .n_planes = 1,
              .n_blocks = n_blocks,
              .panel = memory.panels,
              .panel_bytes = parts.size,
              .out = memory.out,
              .out_col_stride = pixel_bytes,
              .out_row_stride = s->cols * pixel_bytes,
              .stage = stage,
          },
  };
  return true;
}

static struct tvmq_stage usual_stage(const struct tvmq_variant *variant) {
  const bool s16 = variant->family == TVMQ_FAMILY_DEPTHWISE_S16;
  return (struct tvmq_stage){.right_shifts = true,
                             .headroom = true,
                             .fits_int16 = !s16,
                             .zero_point = s16 ? 0 : INT8_MIN,
                             .min = s16 ? INT16_MIN : INT8_MIN,
                             .max = s16 ? INT16_MAX : INT8_MAX};
}

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.depthwise(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static const struct layer_shape shapes[] = {{112, 32, 3, 1}, {56, 144, 3, 1}, {28, 192, 3, 1}, {14, 576, 3, 1}, {7, 960, 3, 1},
                                              {56, 96, 3, 2},  {28, 144, 3, 2}, {7, 576, 3, 2},  {28, 192, 5, 1}};
  const struct tvmq_stage stage = usual_stage(variant);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    const struct layer_shape *s = &shapes[i];
    struct problem p;
    if (!make_problem(variant, s, &stage, &p)) continue;
    char shape[40];
    snprintf(shape, sizeof shape, "%zux%zu s%zu cols %zu c %zu", s->filter, s->filter, s->stride, s->cols, s->channels);
    check_bench(variant, shape, (double)variant->mr * s->cols * s->channels * s->filter * s->filter, run_problem, &p);
  }
}

const struct check_family check_depthwise = {check, bench};
