// Poolings: rows of windows, and every sum that a narrow window can have.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"
#include "support/oracle.h"

enum { MAX_BYTES = 1 << 16, MAX_COLS = 80 };

struct shape {
  size_t n_rows, n_cols, channels;
};

static struct guard in_guard, out_guard;
static uint8_t background[MAX_BYTES];

static void create_guards(void) {
  if (in_guard.first) return;
  in_guard = guard_create(1, MAX_BYTES, GUARD_READ_ONLY);
  out_guard = guard_create(1, MAX_BYTES, GUARD_READ_WRITE);
  check_random_bytes(background, sizeof background);
}

static bool is_max(const struct tvmq_variant *variant) { return variant->family == TVMQ_FAMILY_MAX_POOL; }

// First and last columns of the input, this one excluded, that output column x pools. Only max pooling has windows without any.
static size_t first_column(const struct tvmq_pool_args *args, size_t x) {
  const size_t origin = x * args->stride_w;
  return origin > args->pad_left ? origin - args->pad_left : 0;
}

static size_t end_column(const struct tvmq_pool_args *args, size_t x) {
  const size_t end = x * args->stride_w + args->filter_w;
  return tvmq_max(first_column(args, x), end > args->pad_left ? tvmq_min(end - args->pad_left, args->n_cols) : 0);
}

static int32_t draw_min(enum tvmq_type type) {
  const struct tvmq_range range = tvmq_type_range(type);
  return check_one_in(4) ? (int32_t)check_between(range.min, range.max) : range.min;
}

// Neighbours with as many taps are one span, or now and then two.
static size_t make_spans(enum tvmq_type type, const struct tvmq_pool_args *args, size_t out_cols, struct tvmq_pool_span *spans) {
  size_t n = 0, before = SIZE_MAX;
  for (size_t x = 0; x < out_cols; x++) {
    const size_t taps = args->n_rows * (end_column(args, x) - first_column(args, x));
    if (taps != before || check_one_in(16)) {
      spans[n++] = (struct tvmq_pool_span){.min = draw_min(type)};
      if (taps > 0) spans[n - 1].mean = tvmq_mean(type, (int32_t)taps);
    }
    spans[n - 1].n_cols++;
    before = taps;
  }
  return n;
}

// Channel c of an output pixel, before the clamp.
static int32_t pooled(const struct tvmq_variant *variant, const struct tvmq_pool_args *args, size_t x, size_t c) {
  const enum tvmq_type type = variant->in_type;
  const size_t first = first_column(args, x), end = end_column(args, x);
  int64_t sum = 0, largest = tvmq_type_range(type).min;
  for (size_t y = 0; y < args->n_rows; y++) {
    for (size_t i = first; i < end; i++) {
      const int32_t value = oracle_load(type, (const uint8_t *)args->in + y * args->in_row_stride + i * args->in_col_stride, c);
      sum += value;
      largest = value > largest ? value : largest;
    }
  }
  const struct tvmq_rescaled_sum *r = args->rescaled;
  if (r) return oracle_wrap((int64_t)oracle_round_s32(r->rounding, (int32_t)(sum + r->bias), r->multiplier, r->shift) + r->zero_point);
  return is_max(variant) ? (int32_t)largest : oracle_mean(type, sum, (int64_t)(args->n_rows * (end - first)));
}

// Calls the kernel on what `in` and the strides say, its output guarded.
static void compare(const struct tvmq_variant *variant, struct tvmq_pool_args *args, size_t out_cols, enum guard_side side) {
  const enum tvmq_type type = variant->in_type;
  const size_t element = tvmq_type_bytes(type), out_bytes = (out_cols - 1) * args->out_col_stride + args->channels * element;
  struct tvmq_pool_span spans[MAX_COLS];
  args->spans = spans;
  args->n_spans = make_spans(type, args, out_cols, spans);
  uint8_t *out = args->out = guard_at(&out_guard, 0, out_bytes, side), *slot = guard_slot(&out_guard, 0);
  memcpy(slot, background, sizeof background);
  CHECK_CALL(variant->fn.pool, args);
  size_t in_span = 0;
  const struct tvmq_pool_span *span = spans;
  for (size_t x = 0; x < out_cols; x++, in_span++) {
    if (in_span == span->n_cols) {
      span++;
      in_span = 0;
    }
    for (size_t c = 0; c < args->channels; c++) {
      const int32_t value = pooled(variant, args, x, c), raised = value < span->min ? span->min : value, wanted = raised > args->max ? args->max : raised;
      const int32_t got = oracle_load(type, out + x * args->out_col_stride, c);
      if (got != wanted) check_fail("column %zu, channel %zu, of %d at least %d: got %d, want %d", x, c, value, span->min, got, wanted);
    }
    memcpy(out + x * args->out_col_stride, background + (out - slot) + x * args->out_col_stride, args->channels * element);
  }
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void draw_values(enum tvmq_type type, uint8_t *values, size_t bytes) {
  const size_t element = tvmq_type_bytes(type);
  const struct tvmq_range range = tvmq_type_range(type);
  const uint32_t how = check_below(8);
  check_random_bytes(values, bytes);
  for (size_t i = 0; how < 4 && i < bytes; i += element) {
    // All of one end, or either, or around zero: halves.
    const int64_t x = how == 0 ? range.min : how == 1 ? range.max : how == 2 ? (check_one_in(2) ? range.min : range.max) : check_between(range.min ? -2 : 0, 2);
    memcpy(values + i, &x, element);
  }
}

// Draws a scale for sums of at most `taps`, to any part of the output's range, or beyond it.
static struct tvmq_rescaled_sum draw_rescaled(enum tvmq_type type, size_t taps) {
  const struct tvmq_range range = tvmq_type_range(type);
  const int32_t exact = 31 - __builtin_clz((unsigned)taps);  // of a mean
  return (struct tvmq_rescaled_sum){
      .rounding = (enum tvmq_rounding)check_below(3),
      .bias = -(int32_t)taps * (type == TVMQ_TYPE_S16 ? 0 : (int32_t)check_between(range.min, range.max)),
      .zero_point = (int32_t)check_between(range.min, range.max),
      .multiplier = check_one_in(8) ? (int32_t)check_between(0, INT32_MAX) : (int32_t)check_between(1 << 29, INT32_MAX),
      .shift = check_one_in(4) ? (int32_t)check_between(-31, 30) : (int32_t)check_between(-exact - 2, -exact + 2),
  };
}

static void check_shape(const struct tvmq_variant *variant, struct shape s) {
  create_guards();
  const enum tvmq_type type = variant->in_type;
  const size_t element = tvmq_type_bytes(type), width = s.channels * element;
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  struct tvmq_pool_args args = {.n_rows = s.n_rows, .n_cols = s.n_cols, .channels = s.channels};
  args.in_col_stride = width + element * check_below(4);
  args.in_row_stride = s.n_cols * args.in_col_stride + element * check_below(4);
  args.out_col_stride = width + element * check_below(4);
  args.filter_w = 1 + check_below((uint32_t)(s.n_cols + check_below(8)));
  args.pad_left = check_one_in(2) ? 0 : check_below((uint32_t)args.filter_w);
  args.stride_w = 1 + check_below(check_one_in(2) ? 1 : 6);
  size_t most = (s.n_cols - 1 + args.pad_left) / args.stride_w + 1;  // the last window has a column
  if (is_max(variant) && check_one_in(2)) {
    args.pad_left += check_below(5);
    most += check_below(4);
    if (check_one_in(8)) args.n_cols = 0;
  }
  const size_t out_cols = 1 + check_below((uint32_t)tvmq_min(tvmq_min(most, MAX_COLS), (MAX_BYTES - width) / args.out_col_stride + 1));
  const struct tvmq_range range = tvmq_type_range(type);
  const struct tvmq_rescaled_sum rescaled = draw_rescaled(type, s.n_rows * tvmq_min(args.filter_w, s.n_cols));
  if (!is_max(variant) && check_one_in(3)) args.rescaled = &rescaled;
  args.max = check_one_in(4) ? (int32_t)check_between(range.min, range.max) : range.max;
  const size_t in_bytes = (s.n_rows - 1) * args.in_row_stride + (s.n_cols - 1) * args.in_col_stride + width;
  args.in = guard_at(&in_guard, 0, in_bytes, side);
  draw_values(type, guard_writable(&in_guard, args.in), in_bytes);
  check_case("rows %zu, columns %zu -> %zu, channels %zu, filter %zu, stride %zu, padding %zu, strides %zu %zu -> %zu, at most %d, %s", s.n_rows, s.n_cols,
             out_cols, s.channels, args.filter_w, args.stride_w, args.pad_left, args.in_row_stride, args.in_col_stride, args.out_col_stride, args.max,
             side == GUARD_END ? "end guarded" : "start guarded");
  compare(variant, &args, out_cols, side);
}

// Every sum of `taps` bytes: one a channel.
static void check_sums(const struct tvmq_variant *variant, size_t taps) {
  create_guards();
  const struct tvmq_range range = tvmq_type_range(variant->in_type);
  const size_t n_sums = (size_t)(range.max - range.min) * taps + 1;
  struct tvmq_pool_args args = {.n_rows = 1, .n_cols = taps, .filter_w = taps, .stride_w = 1, .max = range.max};
  for (size_t first = 0; first < n_sums; first += args.channels) {
    args.channels = args.in_col_stride = args.out_col_stride = MAX_BYTES / taps;
    args.in = guard_at(&in_guard, 0, taps * args.channels, GUARD_END);
    uint8_t *values = guard_writable(&in_guard, args.in);
    for (size_t c = 0; c < args.channels; c++) {
      for (size_t i = 0; i < taps; i++) values[i * args.channels + c] = (uint8_t)(range.min + (int32_t)((tvmq_min(first + c, n_sums - 1) + i) / taps));
    }
    check_case("%zu taps, sums from %zu above the least", taps, first);
    compare(variant, &args, 1, GUARD_END);
  }
}

static void check(const struct tvmq_variant *variant) {
  const size_t element = tvmq_type_bytes(variant->in_type);
  for (size_t taps = 1; !is_max(variant) && element == 1 && taps <= TVMQ_MEAN_NARROW; taps += check_quick ? 5 : 1) check_sums(variant, taps);
  for (size_t channels = variant->layout.nr; channels <= 140; channels += check_quick && channels > 70 ? 7 : 1) {
    for (size_t i = 0; i < (check_quick ? 1 : 4); i++) check_shape(variant, (struct shape){1 + check_below(9), 1 + check_below(16), channels});
  }
  for (size_t i = 0; i < (check_quick ? 40 : 600); i++) {  // of every shape that fits
    const size_t channels = variant->layout.nr + check_below(check_one_in(4) ? 200 : 20), n_rows = 1 + check_below(check_one_in(4) ? 300 : 20);
    const size_t n_cols = tvmq_min(MAX_BYTES / (n_rows * (channels + 6) * element), 60);
    if (n_cols > 0) check_shape(variant, (struct shape){n_rows, 1 + check_below((uint32_t)n_cols), channels});
  }
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_pool_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.pool(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static const struct {
    size_t n_rows, n_cols, channels, stride, out_cols;
  } shapes[] = {{3, 35, 192, 1, 33}, {3, 35, 192, 2, 17}, {3, 112, 64, 2, 55}, {3, 8, 640, 1, 6},
                {2, 28, 128, 2, 14}, {5, 20, 128, 1, 16}, {7, 7, 640, 1, 1},   {17, 17, 64, 1, 1}};
  static _Alignas(64) uint8_t in[MAX_BYTES], out[MAX_BYTES];
  check_random_bytes(in, sizeof in);
  const size_t element = tvmq_type_bytes(variant->in_type);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    const size_t rows = shapes[i].n_rows, cols = shapes[i].n_cols, channels = shapes[i].channels, outputs = shapes[i].out_cols;
    struct tvmq_pool_span span = {.n_cols = outputs, .min = tvmq_type_range(variant->in_type).min, .mean = tvmq_mean(variant->in_type, (int32_t)(rows * rows))};
    struct problem p = {variant,
                        {.in = in,
                         .in_row_stride = cols * channels * element,
                         .in_col_stride = channels * element,
                         .n_rows = rows,
                         .n_cols = cols,
                         .channels = channels,
                         .filter_w = rows,
                         .stride_w = shapes[i].stride,
                         .spans = &span,
                         .n_spans = 1,
                         .max = tvmq_type_range(variant->in_type).max,
                         .out = out,
                         .out_col_stride = channels * element}};
    char shape[48];
    snprintf(shape, sizeof shape, "%zux%zu s%zu, %zu x %zu channels", rows, rows, shapes[i].stride, cols, channels);
    check_bench(variant, shape, (double)(outputs * channels), run_problem, &p);
  }
}

const struct check_family check_pool = {check, bench};
