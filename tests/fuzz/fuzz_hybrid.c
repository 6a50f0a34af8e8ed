// Hybrid CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED: float32 activations, which are quantized as they come, and int8 weights.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "oracle_conv.h"
#include "support/oracle.h"
#include "support/random.h"

enum { MOST_CHANNELS = 80, MOST_WORK = 1 << 18, MOST_INPUTS = 1 << 16 };

// ---- the oracle

// The bytes that an image, or a row of FULLY_CONNECTED, becomes.
struct bytes {
  float scale;
  int32_t zero_point;
  int8_t values[MOST_INPUTS];
};

static bool alike(const struct tvmq_conv_desc *d) {
  for (int32_t i = 1; i < d->n_filter_scales; i++) {
    if (d->filter_scales[i] != d->filter_scales[0]) return false;
  }
  return true;
}

static bool is_asymmetric(const struct tvmq_conv_desc *d) { return d->fully_connected ? d->asymmetric_inputs : d->depthwise || !alike(d); }

// Steps of x, without the zero point.
static double steps(const struct tvmq_conv_desc *d, float product, bool in_eight) {
  if (d->hybrid == TVMQ_HYBRID_SSE && in_eight) return trunc((double)(float)(product < 0 ? product - 0.5f : product + 0.5f));
  return round((double)product);
}

// Whether element `i` is one of those that are rounded eight at a time, of all in the image with its border.
static bool in_eight(const struct tvmq_conv_desc *d, size_t i) {
  const struct tvmq_border *border = &d->border;
  const size_t in_c = (size_t)d->in_c, in_w = d->fully_connected ? 1 : (size_t)d->in_w, in_h = d->fully_connected ? 1 : (size_t)d->in_h;
  const size_t line = in_w * in_c, bordered = line + (size_t)(border->left + border->right) * in_c;
  const size_t all = ((size_t)(border->top + border->bottom) + in_h) * bordered;
  return ((size_t)border->top + i / line) * bordered + (size_t)border->left * in_c + i % line < all / 8 * 8;
}

static void quantize(const struct tvmq_conv_desc *d, const float *x, size_t n, struct bytes *bytes) {
  const bool asymmetric = is_asymmetric(d);
  float low = 0, high = 0, inverse = 0;
  for (size_t i = 0; i < n; i++) {
    low = fminf(low, x[i]);
    high = fmaxf(high, x[i]);
  }
  bytes->scale = 1;
  bytes->zero_point = 0;
  if (asymmetric && high > low) {
    const float narrow = high - low;
    const double range = d->hybrid == TVMQ_HYBRID_PORTABLE ? (double)high - (double)low : (double)narrow, step = range / 255;
    const double from_low = (double)low / step, from_high = (double)high / step;
    const double zero_point = 128 + fabs(from_low) < 127 + fabs(from_high) ? -128 - from_low : 127 - from_high;
    bytes->zero_point = (int32_t)round(fmin(fmax(zero_point, -128), 127));
    bytes->scale = (float)step;
    inverse = 1 / bytes->scale;
  } else if (high > low) {
    bytes->scale = fmaxf(-low, high) / 127;
    inverse = 127 / fmaxf(-low, high);
  }
  for (size_t i = 0; i < n; i++) {
    const float product = x[i] * inverse;
    const double value =
        d->hybrid == TVMQ_HYBRID_PORTABLE ? round((double)((float)bytes->zero_point + product)) : bytes->zero_point + steps(d, product, in_eight(d, i));
    bytes->values[i] = (int8_t)fmin(fmax(value, asymmetric ? -128 : -127), 127);
  }
}

static float result(const struct tvmq_conv_desc *d, int64_t sum, float scale, int32_t o) {
  const float real = (float)oracle_wrap(sum), weight = d->filter_scales[d->n_filter_scales > 1 ? o : 0];
  const bool in_turn = !d->depthwise && !d->fully_connected && !alike(d);
  float bias = d->fully_connected ? 0 : -0.0f;
  if (d->bias != NULL) memcpy(&bias, (const char *)d->bias + (size_t)o * sizeof bias, sizeof bias);
  float value = in_turn ? real * weight : real * (weight * scale);
  if (in_turn) value = value * scale;
  value = d->fully_connected && d->hybrid == TVMQ_HYBRID_NEON ? fmaf(real, weight * scale, bias) : value + bias;
  if (d->activation == TVMQ_ACTIVATION_NONE) return value;
  const float low = d->activation == TVMQ_ACTIVATION_RELU_N1_TO_1 ? -1 : 0, high = d->activation == TVMQ_ACTIVATION_RELU6 ? 6 : low < 0 ? 1 : FLT_MAX;
  return value < low ? low : value > high ? high : value;
}

static int64_t sum_of(const struct tvmq_conv_desc *d, const struct bytes *bytes, int64_t y, int64_t x, int32_t o) {
  const int32_t in_h = d->fully_connected ? 1 : d->in_h, in_w = d->fully_connected ? 1 : d->in_w, depth = d->depthwise ? 1 : d->in_c;
  int64_t sum = 0;
  for (int32_t ky = 0; ky < d->filter_h; ky++) {
    for (int32_t kx = 0; kx < d->filter_w; kx++) {
      const int64_t in_y = y + (int64_t)ky * d->dilation_h, in_x = x + (int64_t)kx * d->dilation_w;
      if (in_y < 0 || in_y >= in_h || in_x < 0 || in_x >= in_w) continue;
      for (int32_t k = 0; k < depth; k++) {
        const size_t tap = (size_t)(ky * d->filter_w + kx), channel = (size_t)(d->depthwise ? o / d->depth_multiplier : k);
        const size_t at =
            d->depthwise ? tap * (size_t)d->out_c + (size_t)o : ((size_t)o * (size_t)(d->filter_h * d->filter_w) + tap) * (size_t)depth + (size_t)k;
        sum += ((const int8_t *)d->filter)[at] * (bytes->values[(size_t)(in_y * in_w + in_x) * (size_t)d->in_c + channel] - bytes->zero_point);
      }
    }
  }
  return sum;
}

// The output's size, and the padding above and beside the image, its border included.
static void find_out_size(const struct tvmq_conv_desc *d, int32_t *out_h, int32_t *out_w, int64_t *top, int64_t *left) {
  const struct tvmq_border *border = &d->border;
  *out_h = oracle_out_size(d->padding, border->top + d->in_h + border->bottom, d->filter_h, d->stride_h, d->dilation_h, top);
  *out_w = oracle_out_size(d->padding, border->left + d->in_w + border->right, d->filter_w, d->stride_w, d->dilation_w, left);
  *top += border->top;
  *left += border->left;
}

static void hybrid(const struct tvmq_conv_desc *d, const float *in, float *out) {
  static struct bytes bytes;
  int64_t top, left;
  const int32_t images = d->fully_connected ? d->in_w : d->batch;
  int32_t out_h, out_w;
  find_out_size(d, &out_h, &out_w, &top, &left);
  if (d->fully_connected) out_h = out_w = 1;
  const size_t n = (size_t)d->in_c * (d->fully_connected ? 1 : (size_t)d->in_h * (size_t)d->in_w);
  for (int32_t i = 0; i < images; i++) {
    quantize(d, in + (size_t)i * n, n, &bytes);
    for (int32_t y = 0; y < out_h; y++) {
      for (int32_t x = 0; x < out_w; x++) {
        for (int32_t o = 0; o < d->out_c; o++)
          *out++ = result(d, sum_of(d, &bytes, (int64_t)y * d->stride_h - top, (int64_t)x * d->stride_w - left, o), bytes.scale, o);
      }
    }
  }
}

// ---- descriptions

static void pick_shape(struct fuzz_bytes *b, struct tvmq_conv_desc *d) {
  const int64_t kind = fuzz_pick(b, 0, 3);
  d->fully_connected = kind == 0;
  d->depthwise = kind == 1;
  d->filter_h = d->filter_w = d->stride_h = d->stride_w = d->dilation_h = d->dilation_w = d->depth_multiplier = 1;
  d->padding = fuzz_pick(b, 0, 1) ? TVMQ_PADDING_SAME : TVMQ_PADDING_VALID;
  d->batch = d->in_h = 1;
  d->in_w = (int32_t)fuzz_pick(b, 1, 12);
  d->in_c = (int32_t)fuzz_pick(b, 1, fuzz_pick(b, 0, 1) ? MOST_CHANNELS : 9);
  d->out_c = (int32_t)fuzz_pick(b, 1, MOST_CHANNELS);
  if (!d->fully_connected) {
    d->batch = (int32_t)fuzz_pick(b, 1, 3);
    d->in_h = (int32_t)fuzz_pick(b, 1, 12);
    d->filter_h = (int32_t)fuzz_pick(b, 1, 5);
    d->filter_w = fuzz_pick(b, 0, 1) ? d->filter_h : (int32_t)fuzz_pick(b, 1, 5);
    d->stride_h = (int32_t)fuzz_pick(b, 1, 3);
    d->stride_w = fuzz_pick(b, 0, 1) ? d->stride_h : (int32_t)fuzz_pick(b, 1, 3);
    if (fuzz_pick(b, 0, 3) == 0) d->dilation_h = d->dilation_w = (int32_t)fuzz_pick(b, 1, 3);
    if (d->padding == TVMQ_PADDING_VALID && fuzz_pick(b, 0, 15)) {  // room for the filter
      d->in_h += (d->filter_h - 1) * d->dilation_h;
      d->in_w += (d->filter_w - 1) * d->dilation_w;
    }
  }
  if (d->depthwise) {
    if (fuzz_pick(b, 0, 3) == 0) d->depth_multiplier = (int32_t)fuzz_pick(b, 1, 4);
    d->in_c = d->in_c / d->depth_multiplier + 1;
    d->out_c = d->in_c * d->depth_multiplier;
  }
  d->filter_c = d->depthwise ? 1 : d->in_c;
  if (!d->fully_connected && fuzz_pick(b, 0, 3) == 0)
    d->border = (struct tvmq_border){(int32_t)fuzz_pick(b, 0, 4), (int32_t)fuzz_pick(b, 0, 4), (int32_t)fuzz_pick(b, 0, 4), (int32_t)fuzz_pick(b, 0, 4), 0};
  int64_t top, left;
  find_out_size(d, &d->out_h, &d->out_w, &top, &left);
}

static void pick_scales(struct fuzz_bytes *b, struct tvmq_conv_desc *d, float scales[MOST_CHANNELS + 1]) {
  const int64_t how = fuzz_pick(b, 0, 3);
  d->filter_scales = scales;
  d->n_filter_scales = how == 0 && !d->depthwise ? 1 : d->out_c;
  for (int32_t i = 0; i < d->n_filter_scales; i++) scales[i] = how == 1 ? 0.0123f : ldexpf((float)check_between(1 << 23, (1 << 24) - 1), -31);
}

static void spoil(struct fuzz_bytes *b, struct tvmq_conv_desc *d, float scales[]) {
  int32_t *const numbers[] = {&d->batch,
                              &d->in_h,
                              &d->in_w,
                              &d->in_c,
                              &d->out_h,
                              &d->out_w,
                              &d->out_c,
                              &d->filter_h,
                              &d->filter_w,
                              &d->filter_c,
                              &d->dilation_h,
                              &d->dilation_w,
                              &d->border.top,
                              &d->border.left,
                              &d->stride_h,
                              &d->stride_w,
                              &d->in_c,
                              &d->depth_multiplier,
                              &d->n_filter_scales,
                              &d->filter_zero_point};
  enum tvmq_type *const types[] = {&d->in_type, &d->out_type, &d->filter_type, &d->bias_type};
  static const int32_t odd[] = {0, -1, INT32_MIN, INT32_MAX, 1 << 16, 40000, 1, 2, 7, 1 << 30};
  static const float odd_scales[] = {0, -1, INFINITY, NAN};
  const int64_t what = fuzz_pick(b, 0, 4);
  if (what == 0) *types[fuzz_pick(b, 0, 3)] = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  if (what == 1) scales[0] = odd_scales[fuzz_pick(b, 0, 3)];
  if (what == 2) d->hybrid = TVMQ_HYBRID_UNKNOWN;
  if (what > 2) *numbers[fuzz_pick(b, 0, (int64_t)(sizeof numbers / sizeof numbers[0]) - 1)] = odd[fuzz_pick(b, 0, 9)];
  if (d->n_filter_scales > MOST_CHANNELS + 1 || d->n_filter_scales < 1) d->n_filter_scales = 1;  // as many as there are
}

static double elements(int32_t a, int32_t b, int32_t c, int32_t d) { return (double)a * b * c * d; }

static bool has_room(const struct tvmq_conv_desc *d) {
  const double in = elements(d->batch, d->in_h, d->in_w, d->in_c), out = elements(d->batch, d->out_h, d->out_w, d->out_c),
               taps = elements(d->filter_h, d->filter_w, d->depthwise ? 1 : d->filter_c, 1);
  return in >= 0 && in <= MOST_INPUTS && out >= 0 && out * sizeof(float) <= FUZZ_MAX_BYTES && taps >= 0 && taps * d->out_c <= FUZZ_MAX_BYTES && d->out_c > 0 &&
         d->out_c <= 4 * MOST_CHANNELS && taps * out <= MOST_WORK;
}

static void make_constants(struct fuzz_bytes *b, struct tvmq_conv_desc *d, enum guard_side side) {
  const size_t n = (size_t)elements(d->out_c, d->filter_h, d->filter_w, d->depthwise ? 1 : d->filter_c);
  const struct fuzz_tensor filter = fuzz_tensor(FUZZ_FILTER, n, side), bias = fuzz_tensor(FUZZ_BIAS, (size_t)d->out_c * sizeof(float), side);
  const int64_t least = fuzz_pick(b, 0, 15) ? -127 : -128;
  for (size_t i = 0; i < n; i++) ((int8_t *)filter.write)[i] = (int8_t)check_between(least, 127);
  for (int32_t o = 0; o < d->out_c; o++) ((float *)bias.write)[o] = ldexpf((float)check_between(-(1 << 23), 1 << 23), -20);
  d->filter = filter.read;
  d->bias = fuzz_pick(b, 0, 7) ? bias.read : NULL;
}

// Numbers of one sign or of either, zeros, or a grid whose elements are ties.
static void fill(struct fuzz_bytes *b, float *x, size_t n) {
  const int64_t how = fuzz_pick(b, 0, 5);
  const int exponent = (int)fuzz_pick(b, -40, 40);
  for (size_t i = 0; i < n; i++) {
    const float value = how == 3 ? (float)check_between(-255, 255) / 2 : ldexpf((float)check_between(-(1 << 24), 1 << 24), exponent - 24);
    x[i] = how == 0 ? fabsf(value) : how == 1 ? -fabsf(value) : how == 2 && exponent < 0 ? 0 : value;
  }
  if (how == 3 && n > 1) x[0] = 127, x[n - 1] = fuzz_pick(b, 0, 1) ? -128 : -127.5f;
  // Next to a half, where kernels that take eight at a time round otherwise than for the rest.
  for (size_t i = 0; how == 5 && i < n; i++) x[i] = i == 0 ? 127 : i == 1 ? -128 : 0x1.fffffep-2f;
}

void fuzz_hybrid(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(8) uint8_t expected[FUZZ_MAX_BYTES];
  static const uint8_t byte;
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_conv_desc d = {
      .in_type = TVMQ_TYPE_F32,
      .filter_type = TVMQ_TYPE_S8,
      .out_type = TVMQ_TYPE_F32,
      .bias_type = TVMQ_TYPE_F32,
      .hybrid = (enum tvmq_hybrid)fuzz_pick(b, TVMQ_HYBRID_NEON, TVMQ_HYBRID_PORTABLE),
      .asymmetric_inputs = fuzz_pick(b, 0, 1),
      .activation = (enum tvmq_activation)fuzz_pick(b, TVMQ_ACTIVATION_NONE, TVMQ_ACTIVATION_RELU_N1_TO_1),
  };
  float scales[4 * MOST_CHANNELS];
  for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) scales[i] = 0.5f;
  pick_shape(b, &d);
  pick_scales(b, &d, scales);
  if (fuzz_pick(b, 0, 3) == 0) spoil(b, &d, scales);
  const bool room = has_room(&d);
  if (room)
    make_constants(b, &d, side);
  else
    d.filter = &byte, d.filter_zero_point = 1;  // no weights to look at
  char text[500];
  snprintf(text, sizeof text,
           "hybrid %s by kernels %d, types %d %d %d -> %d, %dx%dx%dx%d -> %dx%dx%d, filter %dx%dx%d, stride %dx%d, dilation %dx%d, multiplier %d, padding %d, "
           "border %d %d %d %d, activation %d, %d scales %a, bias %d, asymmetric %d, cpu %#x, threads %d",
           d.fully_connected ? "fully connected"
           : d.depthwise     ? "depthwise"
                             : "conv",
           d.hybrid, d.in_type, d.filter_type, d.bias_type, d.out_type, d.batch, d.in_h, d.in_w, d.in_c, d.out_h, d.out_w, d.out_c, d.filter_h, d.filter_w,
           d.filter_c, d.stride_h, d.stride_w, d.dilation_h, d.dilation_w, d.depth_multiplier, d.padding, d.border.top, d.border.bottom, d.border.left,
           d.border.right, d.activation, d.n_filter_scales, (double)scales[0], d.bias != NULL, d.asymmetric_inputs, env->cpu, tvmq_threads_count(env->threads));
  fuzz_about(text);
  const union tvmq_desc desc = {.conv = d};
  const char *why = fuzz_claim(&tvmq_operator_conv, &desc);
  if (why || !room || d.in_type != TVMQ_TYPE_F32) return;
  const size_t n = (size_t)elements(d.batch, d.in_h, d.in_w, d.in_c), out_bytes = (size_t)elements(d.batch, d.out_h, d.out_w, d.out_c) * sizeof(float);
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, n * sizeof(float), side);
  fill(b, in.write, n);
  hybrid(&d, in.read, (float *)expected);
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_hybrid, &op, &desc, env, &in.read, expected, out_bytes, side);
  tvmq_op_release(&tvmq_op_hybrid, op);
}
