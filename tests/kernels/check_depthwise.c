// Depthwise convolution, int8 and 16x8.
#include <stdio.h>

#include "../../delegate/packing/pack_depthwise.h"
#include "bench.h"
#include "layer.h"

enum { MAX_COLS = 20, MAX_STEP = 3, MAX_FILTER_H = 10, MAX_FILTER_W = 8 };

struct shape {
  size_t n, n_cols, filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w;
};

static int32_t values[LAYER_POOL * LAYER_MAX_CHANNELS];

static void sum_windows(struct layer *layer, const uint8_t *picks, size_t pixels_stride, const struct shape *s) {
  const size_t nr = layer->variant->layout.nr, n_taps = s->filter_h * s->filter_w;
  for (size_t i = 0; i < layer->n_rows * layer->n_cols; i++) {
    int64_t *sums = layer->sums + i * layer->n;
    for (size_t n = 0; n < layer->n; n++) sums[n] = 0;
    for (size_t t = 0; t < n_taps; t++) {
      const size_t y = i / layer->n_cols * s->stride_h + t / s->filter_w * s->dilation_h;
      const size_t x = i % layer->n_cols * s->stride_w + t % s->filter_w * s->dilation_w;
      const int32_t *pixel = values + picks[y * pixels_stride + x] * nr;
      for (size_t n = 0; n < layer->n; n++) sums[n] += (int64_t)pixel[n] * layer->weights[n * n_taps + t];
    }
  }
}

static const void *pack(const struct layer *layer, const struct shape *s, size_t n_planes, enum guard_side side) {
  const struct tvmq_layout *layout = &layer->variant->layout;
  struct tvmq_channel channels[LAYER_MAX_CHANNELS];
  struct tvmq_channel_params params[LAYER_MAX_CHANNELS];
  layer_channels(layer, channels, params);
  struct tvmq_panel parts;
  if (!tvmq_panel_layout(layout, tvmq_depthwise_depth(layout, s->filter_h, s->filter_w, n_planes), &parts)) check_fail("the panel's size does not fit");
  void *written;
  const void *panel = layer_panel(parts.size, side, &written);
  tvmq_pack_depthwise(layout, channels, params, layer->n, s->filter_h, s->filter_w, n_planes, written);
  return panel;
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
  layer.col_stride = (nr + (check_one_in(2) ? 0 : check_below(40))) * layer.element;
  layer.row_stride = layer.n_cols * layer.col_stride + (check_one_in(2) ? 0 : check_below(40)) * layer.element;

  layer_draw_pool(&layer, &pool, nr, side, values);
  const size_t n_rows = (layer.n_rows - 1) * s->stride_h + (s->filter_h - 1) * s->dilation_h + 1;
  const size_t width = (s->n_cols - 1) * s->stride_w + (s->filter_w - 1) * s->dilation_w + 1;
  // The table ends with the last pixel that the kernel may ask for.
  const size_t pixels_stride = width + check_below(4), n_pixels = (n_rows - 1) * pixels_stride + width;
  const size_t channel_offset = check_one_in(2) ? 0 : check_below(4) * nr * layer.element;
  static uint8_t picks[1 << 15];
  const void **pixels = guard_at(&table, 0, n_pixels * sizeof *pixels, side);
  const void **written = guard_writable(&table, pixels);
  for (size_t i = 0; i < n_pixels; i++) {
    picks[i] = (uint8_t)check_below(LAYER_POOL);
    written[i] = (const void *)((uintptr_t)guard_at(&pool, picks[i], nr * layer.element, side) - channel_offset);
  }
  sum_windows(&layer, picks, pixels_stride, s);
  layer_draw_stage(&layer);

  const size_t n_planes = tvmq_depthwise_planes(&variant->layout, layer.filter_zero_point);
  const struct tvmq_depthwise_args args = {
      .pixels = pixels,
      .pixels_stride = pixels_stride,
      .channel_offset = channel_offset,
      .n_rows = layer.n_rows,
      .n_cols = s->n_cols,
      .filter_h = s->filter_h,
      .filter_w = s->filter_w,
      .stride_h = s->stride_h,
      .stride_w = s->stride_w,
      .dilation_h = s->dilation_h,
      .dilation_w = s->dilation_w,
      .filter_zero_point = variant->layout.weight_bytes == 1 ? layer.filter_zero_point : 0,
      .n_planes = n_planes,
      .panel = pack(&layer, s, n_planes, side),
      .out = layer_out(&layer, side),
      .out_col_stride = layer.col_stride,
      .out_row_stride = layer.row_stride,
      .in_flip = layer_kernel_flip(&layer),
      .stage = &layer.stage,
  };
  check_case("filter %zux%zu, stride %zux%zu, dilation %zux%zu, rows %zu, columns %zu, pixels_stride %zu, channel_offset %zu, out strides %zu %zu, %s",
             s->filter_h, s->filter_w, s->stride_h, s->stride_w, s->dilation_h, s->dilation_w, layer.n_rows, s->n_cols, pixels_stride, channel_offset,
             layer.row_stride, layer.col_stride, layer_text(&layer));
  CHECK_CALL(variant->fn.depthwise, &args);
  layer_compare(&layer);
}

// A random shape that the variant computes.
static struct shape draw_shape(const struct tvmq_variant *variant) {
  const struct shape drawn = {
      .n = 1 + check_below(variant->layout.nr),
      .n_cols = 1 + check_below(MAX_COLS),
      .filter_h = 1 + check_below(7),
      .filter_w = 1 + check_below(7),
      .stride_h = 1 + check_below(MAX_STEP),
      .stride_w = 1 + check_below(MAX_STEP),
      .dilation_h = 1 + check_below(MAX_STEP),
      .dilation_w = 1 + check_below(MAX_STEP),
  };
  return drawn;
}

// Runs the shape with what the variant is restricted to in place.
static void check_restricted(const struct tvmq_variant *variant, struct shape s) {
  if (variant->only.filter_h) s.filter_h = variant->only.filter_h;
  if (variant->only.filter_w) s.filter_w = variant->only.filter_w;
  if (variant->only.stride) s.stride_h = s.stride_w = variant->only.stride;
  if (variant->only.dilation) s.dilation_h = s.dilation_w = variant->only.dilation;
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
    s.dilation_h = 1 + steps / 9 % 3;
    s.dilation_w = 1 + steps / 27;
    s.filter_h = 1 + check_below(3);
    s.filter_w = 1 + check_below(3);
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
  for (size_t i = 0; i < (check_quick ? 150 : 400); i++) check_restricted(variant, draw_shape(variant));
}

// ---- bench: one strip of a layer, block by block
struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_depthwise_args args;
  size_t n_blocks, panel_bytes, block_bytes;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  struct tvmq_depthwise_args args = p->args;
  for (size_t i = 0; i < p->n_blocks; i++) {
    p->variant->fn.depthwise(&args);
    args.panel = (const char *)args.panel + p->panel_bytes;
    args.out = (char *)args.out + p->block_bytes;
    args.channel_offset += p->block_bytes;
  }
}

static void bench(const struct tvmq_variant *variant) {
  static const struct {
    size_t cols, channels, filter, stride, dilation;
  } shapes[] = {{112, 32, 3, 1, 1}, {56, 144, 3, 1, 1}, {28, 192, 3, 1, 1}, {14, 576, 3, 1, 1}, {7, 960, 3, 1, 1},
                {56, 96, 3, 2, 1},  {28, 144, 3, 2, 1}, {7, 576, 3, 2, 1},  {28, 192, 5, 1, 1}, {28, 192, 3, 1, 2}};
  static _Alignas(64) uint8_t panels[1 << 17], in[1 << 20], out[1 << 18];
  static const void *pixels[1 << 14];
  const bool s16 = variant->family == TVMQ_FAMILY_DEPTHWISE_S16;
  const size_t element = s16 ? 2 : 1, nr = variant->layout.nr;
  const struct tvmq_stage stage = {
      .right_shifts = true, .headroom = !s16, .fits_int16 = !s16, .min = s16 ? INT16_MIN : INT8_MIN, .max = s16 ? INT16_MAX : INT8_MAX};
  check_random_bytes(in, sizeof in);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    const size_t filter = shapes[i].filter, stride = shapes[i].stride, dilation = shapes[i].dilation, cols = shapes[i].cols;
    if ((variant->only.filter_h && variant->only.filter_h != filter) || (variant->only.filter_w && variant->only.filter_w != filter)) continue;
    if ((variant->only.stride && variant->only.stride != stride) || (variant->only.dilation && variant->only.dilation != dilation)) continue;
    struct problem p = {.variant = variant, .n_blocks = (shapes[i].channels + nr - 1) / nr, .block_bytes = nr * element};
    struct tvmq_panel parts;
    tvmq_panel_layout(&variant->layout, tvmq_depthwise_depth(&variant->layout, filter, filter, 1), &parts);
    p.panel_bytes = parts.size;
    const size_t pixel_bytes = p.n_blocks * p.block_bytes, width = (cols - 1) * stride + (filter - 1) * dilation + 1;
    const size_t n_pixels = width * ((variant->mr - 1) * stride + (filter - 1) * dilation + 1);
    if (n_pixels > sizeof pixels / sizeof pixels[0] || n_pixels * pixel_bytes > sizeof in || variant->mr * cols * pixel_bytes > sizeof out ||
        p.n_blocks * parts.size > sizeof panels) {
      continue;
    }
    for (size_t j = 0; j < n_pixels; j++) pixels[j] = in + j * pixel_bytes;
    check_bench_panels(&variant->layout, &parts, p.n_blocks, panels);
    p.args = (struct tvmq_depthwise_args){
        .pixels = pixels,
        .pixels_stride = width,
        .n_rows = variant->mr,
        .n_cols = cols,
        .filter_h = filter,
        .filter_w = filter,
        .stride_h = stride,
        .stride_w = stride,
        .dilation_h = dilation,
        .dilation_w = dilation,
        .n_planes = 1,
        .panel = panels,
        .out = out,
        .out_col_stride = pixel_bytes,
        .out_row_stride = cols * pixel_bytes,
        .stage = &stage,
    };
    char shape[40];
    snprintf(shape, sizeof shape, "%zux%zu s%zu d%zu cols %zu c %zu", filter, filter, stride, dilation, cols, shapes[i].channels);
    check_bench(variant, shape, (double)variant->mr * cols * shapes[i].channels * filter * filter, run_problem, &p);
  }
}

const struct check_family check_depthwise = {check, bench};
