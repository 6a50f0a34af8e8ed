// TRANSPOSE_CONV: each input adds its multiples of the filter to the outputs around it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "oracle_conv.h"
#include "support/oracle.h"
#include "support/random.h"

enum { MOST_CHANNELS = 24, MOST_WORK = 1 << 18 };

struct axis {
  int32_t in, out, filter, stride, before;
};

// How far the first input's multiples reach before the output.
static struct axis axis_of(enum tvmq_padding padding, int32_t in, int32_t out, int32_t filter, int32_t stride) {
  const int32_t cut = (in - 1) * stride + filter - out;
  return (struct axis){in, out, filter, stride, padding == TVMQ_PADDING_SAME && cut > 0 ? cut / 2 : 0};
}

static size_t index4(int32_t a, int32_t b, int32_t size_b, int32_t c, int32_t size_c, int32_t d, int32_t size_d) {
  return (size_t)(((a * size_b + b) * size_c + c) * size_d + d);
}

static void add_pixel(const struct tvmq_conv_desc *d, const struct axis *h, const struct axis *w, const void *in, int32_t image, int32_t y, int32_t x,
                      int32_t o, int64_t *sums) {
  for (int32_t fy = 0; fy < h->filter; fy++) {
    for (int32_t fx = 0; fx < w->filter; fx++) {
      const int32_t out_y = y * h->stride - h->before + fy, out_x = x * w->stride - w->before + fx;
      if (out_y < 0 || out_y >= h->out || out_x < 0 || out_x >= w->out) continue;
      for (int32_t c = 0; c < d->in_c; c++) {
        const int32_t value = oracle_load(d->in_type, in, index4(image, y, h->in, x, w->in, c, d->in_c)) - d->in.zero_point;
        const int32_t weight = oracle_load(d->filter_type, d->filter, index4(o, fy, h->filter, fx, w->filter, c, d->in_c)) - d->filter_zero_point;
        sums[out_y * w->out + out_x] += (int64_t)value * weight;
      }
    }
  }
}

static void transpose_conv(const struct tvmq_conv_desc *d, enum tvmq_rounding rounding, const void *in, void *out) {
  const struct axis h = axis_of(d->padding, d->in_h, d->out_h, d->filter_h, d->stride_h), w = axis_of(d->padding, d->in_w, d->out_w, d->filter_w, d->stride_w);
  const int32_t pixels = d->out_h * d->out_w;
  int64_t *const sums = malloc((size_t)pixels * sizeof *sums);
  for (int32_t o = 0; o < d->out_c; o++) {
    const struct oracle_stage stage = oracle_stage(d, rounding, o);
    for (int32_t image = 0; image < d->batch; image++) {
      memset(sums, 0, (size_t)pixels * sizeof *sums);
      for (int32_t y = 0; y < d->in_h; y++) {
        for (int32_t x = 0; x < d->in_w; x++) add_pixel(d, &h, &w, in, image, y, x, o, sums);
      }
      for (int32_t p = 0; p < pixels; p++) oracle_store(d->out_type, out, index4(0, image, 1, p, pixels, o, d->out_c), oracle_code(&stage, sums[p]));
    }
  }
  free(sums);
}

// Any output that a convolution with this stride would make the input of.
static int32_t pick_out(struct fuzz_bytes *b, enum tvmq_padding padding, int32_t in, int32_t filter, int32_t stride) {
  const int32_t least = padding == TVMQ_PADDING_SAME ? (in - 1) * stride + 1 : (in - 1) * stride + filter;
  return least + (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 15) ? stride - 1 : stride);
}

static void pick(struct fuzz_bytes *b, struct tvmq_conv_desc *d) {
  static const enum tvmq_type types[] = {TVMQ_TYPE_S8, TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16};
  *d = (struct tvmq_conv_desc){
      .in_type = types[fuzz_pick(b, 0, 3)],
      .batch = (int32_t)fuzz_pick(b, 1, 2),
      .in_h = (int32_t)fuzz_pick(b, 1, 9),
      .in_w = (int32_t)fuzz_pick(b, 1, 9),
      .in_c = (int32_t)fuzz_pick(b, 1, MOST_CHANNELS),
      .out_c = (int32_t)fuzz_pick(b, 1, MOST_CHANNELS),
      .filter_h = (int32_t)fuzz_pick(b, 1, 5),
      .filter_w = (int32_t)fuzz_pick(b, 1, 5),
      .stride_h = (int32_t)fuzz_pick(b, 1, 4),
      .stride_w = (int32_t)fuzz_pick(b, 1, 4),
      .dilation_h = 1,
      .dilation_w = 1,
      .depth_multiplier = 1,
      .padding = fuzz_pick(b, 0, 1) ? TVMQ_PADDING_SAME : TVMQ_PADDING_VALID,
      .activation = (enum tvmq_activation)fuzz_pick(b, TVMQ_ACTIVATION_NONE, TVMQ_ACTIVATION_RELU_N1_TO_1),
  };
  d->filter_c = d->in_c;
  d->out_type = d->in_type;
  d->filter_type = d->in_type == TVMQ_TYPE_U8 ? TVMQ_TYPE_U8 : TVMQ_TYPE_S8;
  d->bias_type = d->in_type == TVMQ_TYPE_S16 && fuzz_pick(b, 0, 3) ? TVMQ_TYPE_S64 : TVMQ_TYPE_S32;
  d->out_h = pick_out(b, d->padding, d->in_h, d->filter_h, d->stride_h);
  d->out_w = pick_out(b, d->padding, d->in_w, d->filter_w, d->stride_w);
  if (d->in_type == TVMQ_TYPE_S16) return;
  const int32_t least = d->in_type == TVMQ_TYPE_U8 ? 0 : -128;
  d->in.zero_point = least + (int32_t)fuzz_pick(b, 0, 255);
  d->out.zero_point = least + (int32_t)fuzz_pick(b, 0, 255);
  if (d->in_type == TVMQ_TYPE_U8) d->filter_zero_point = (int32_t)fuzz_pick(b, 0, 255);
}

static float random_scale(void) { return ldexpf((float)check_between(1 << 23, (1 << 24) - 1), -32); }

static void pick_scales(struct fuzz_bytes *b, struct tvmq_conv_desc *d, float scales[MOST_CHANNELS]) {
  d->filter_scales = scales;
  d->n_filter_scales = d->in_type != TVMQ_TYPE_U8 && fuzz_pick(b, 0, 1) ? d->out_c : 1;
  for (int32_t i = 0; i < d->n_filter_scales; i++) scales[i] = random_scale();
  d->in.scale = random_scale();
  const float codes = d->in_type == TVMQ_TYPE_S16 ? 1 : 64, taps = (float)(d->filter_h * d->filter_w * d->filter_c);
  d->out.scale = d->in.scale * scales[0] * sqrtf(taps) * codes * ldexpf(1, fuzz_pick(b, 0, 2) ? 0 : (int)fuzz_pick(b, -24, 24));
  if (fuzz_pick(b, 0, 7) == 0) d->out.scale = d->in.scale * scales[0] * ldexpf(1, (int)fuzz_pick(b, 0, 8));  // ties
}

static void spoil(struct fuzz_bytes *b, struct tvmq_conv_desc *d) {
  int32_t *const numbers[] = {&d->batch,    &d->in_h,     &d->in_w,     &d->in_c,     &d->out_h,    &d->out_w,         &d->out_c,
                              &d->filter_h, &d->filter_w, &d->filter_c, &d->stride_h, &d->stride_w, &d->in.zero_point, &d->filter_zero_point};
  enum tvmq_type *const types[] = {&d->in_type, &d->out_type, &d->filter_type, &d->bias_type};
  float *const scales[] = {&d->in.scale, &d->out.scale};
  static const int32_t odd[] = {0, -1, INT32_MIN, INT32_MAX, 1 << 16, 40000, 2, 3, 7, 1 << 30};
  static const float odd_scales[] = {0, -1, INFINITY, NAN, 0x1p-149f, 0x1p127f};
  const int64_t what = fuzz_pick(b, 0, 3);
  if (what == 0) *types[fuzz_pick(b, 0, 3)] = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  if (what == 1) *scales[fuzz_pick(b, 0, 1)] = odd_scales[fuzz_pick(b, 0, 5)];
  if (what > 1) *numbers[fuzz_pick(b, 0, 13)] = odd[fuzz_pick(b, 0, 9)];
}

static double elements(int32_t a, int32_t b, int32_t c, int32_t d) { return (double)a * b * c * d; }

static bool has_room(const struct tvmq_conv_desc *d) {
  const double filter = elements(d->out_c, d->filter_h, d->filter_w, d->filter_c), in = elements(d->batch, d->in_h, d->in_w, d->in_c),
               out = elements(d->batch, d->out_h, d->out_w, d->out_c);
  return d->out_c > 0 && d->out_c <= MOST_CHANNELS && filter >= 0 && filter <= FUZZ_MAX_BYTES && in >= 0 && in * 2 <= FUZZ_MAX_BYTES && out >= 0 &&
         out * 2 <= FUZZ_MAX_BYTES && filter * d->batch * d->in_h * d->in_w <= MOST_WORK;
}

// Biases, also large ones.
static void make_constants(struct fuzz_bytes *b, struct tvmq_conv_desc *d, enum guard_side side) {
  const size_t n = (size_t)elements(d->out_c, d->filter_h, d->filter_w, d->filter_c), bias_bytes = d->bias_type == TVMQ_TYPE_S64 ? 8 : 4;
  const struct fuzz_tensor filter = fuzz_tensor(FUZZ_FILTER, n, side), bias = fuzz_tensor(FUZZ_BIAS, (size_t)d->out_c * bias_bytes, side);
  check_random_bytes(filter.write, n);
  const uint32_t bits = fuzz_pick(b, 0, 3) ? 16 : bias_bytes == 8 ? 46 : 31;
  for (int32_t o = 0; o < d->out_c; o++) {
    const int64_t value = check_between(-(INT64_C(1) << bits), (INT64_C(1) << bits) - 1);
    memcpy((uint8_t *)bias.write + (size_t)o * bias_bytes, &value, bias_bytes);
  }
  d->filter = filter.read;
  d->bias = fuzz_pick(b, 0, 7) ? bias.read : NULL;
}

void fuzz_transpose_conv(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(8) uint8_t expected[FUZZ_MAX_BYTES];
  static const uint8_t byte;
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_conv_desc d;
  float scales[MOST_CHANNELS];
  pick(b, &d);
  pick_scales(b, &d, scales);
  if (fuzz_pick(b, 0, 3) == 0) spoil(b, &d);
  const bool room = has_room(&d);
  if (room && d.n_filter_scales > 1 && d.n_filter_scales < d.out_c) d.n_filter_scales = 1;
  if (room) {
    make_constants(b, &d, side);
  } else {
    d.filter = &byte;  // claiming does not look at weights
  }
  char text[500];
  snprintf(text, sizeof text,
           "transpose conv, types %d %d %d -> %d, %dx%dx%dx%d -> %dx%dx%d, filter %dx%dx%d, stride %dx%d, padding %d, activation %d, zero points %d %d -> %d, "
           "scales %a %a (of %d) -> %a, bias %d, rounding %d, cpu %#x, threads %d",
           d.in_type, d.filter_type, d.bias_type, d.out_type, d.batch, d.in_h, d.in_w, d.in_c, d.out_h, d.out_w, d.out_c, d.filter_h, d.filter_w, d.filter_c,
           d.stride_h, d.stride_w, d.padding, d.activation, d.in.zero_point, d.filter_zero_point, d.out.zero_point, (double)d.in.scale, (double)scales[0],
           d.n_filter_scales, (double)d.out.scale, d.bias != NULL, env->rounding, env->cpu, tvmq_threads_count(env->threads));
  fuzz_about(text);
  const union tvmq_desc desc = {.conv = d};
  const char *why = fuzz_claim(&tvmq_operator_transpose_conv, &desc);
  if (why || !room) return;
  const size_t bytes = tvmq_type_bytes(d.in_type), in_bytes = (size_t)elements(d.batch, d.in_h, d.in_w, d.in_c) * bytes,
               out_bytes = (size_t)elements(d.batch, d.out_h, d.out_w, d.out_c) * bytes;
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, in_bytes, side);
  check_random_bytes(in.write, in_bytes);
  transpose_conv(&d, env->rounding, in.read, expected);
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_transpose_conv, &op, &desc, env, &in.read, expected, out_bytes, side);
  tvmq_op_release(&tvmq_op_transpose_conv, op);
}
