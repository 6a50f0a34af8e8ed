// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "oracle_conv.h"
#include "support/random.h"

enum { MAX_CHANNELS = 160, MAX_WORK = 1 << 19 };

struct conv {
  struct tvmq_conv_desc desc;
  float scales[MAX_CHANNELS];
  enum guard_side side;
  const struct tvmq_implementation *op_class;
  bool far;  // accumulators at the ends of int32 and large shifts to the right, where a sum of the output stage may overflow
};

static void set_out_size(struct tvmq_conv_desc *d) {
  int64_t before;
  const struct tvmq_border *b = &d->border;
  d->out_h = oracle_out_size(d->padding, b->top + d->in_h + b->bottom, d->filter_h, d->stride_h, d->dilation_h, &before);
  d->out_w = oracle_out_size(d->padding, b->left + d->in_w + b->right, d->filter_w, d->stride_w, d->dilation_w, &before);
}

// Mostly what a filter would have as padding, at times as wide as the filter and more, whose outputs see nothing of the input.
static void pick_border(struct fuzz_bytes *b, struct tvmq_border *border) {
  const int64_t widest = fuzz_pick(b, 0, 7) ? 3 : 12;
  border->top = (int32_t)fuzz_pick(b, 0, widest);
  border->bottom = (int32_t)fuzz_pick(b, 0, widest);
  border->left = (int32_t)fuzz_pick(b, 0, widest);
  border->right = (int32_t)fuzz_pick(b, 0, widest);
}

static void pick_shape(struct fuzz_bytes *b, struct tvmq_conv_desc *d) {
  d->depthwise = fuzz_pick(b, 0, 1);
  d->filter_h = (int32_t)fuzz_pick(b, 1, 10);
  d->filter_w = (int32_t)fuzz_pick(b, 1, 8);
  if (fuzz_pick(b, 0, 1)) d->filter_h = d->filter_w = fuzz_pick(b, 0, 1) ? 3 : 1;
  if (fuzz_pick(b, 0, 7) == 0) *(fuzz_pick(b, 0, 1) ? &d->filter_h : &d->filter_w) = 3;
  d->stride_h = (int32_t)fuzz_pick(b, 1, 4);
  d->stride_w = fuzz_pick(b, 0, 3) ? d->stride_h : (int32_t)fuzz_pick(b, 1, 4);
  d->dilation_h = fuzz_pick(b, 0, 2) ? 1 : (int32_t)fuzz_pick(b, 1, 3);
  d->dilation_w = fuzz_pick(b, 0, 3) ? d->dilation_h : (int32_t)fuzz_pick(b, 1, 3);
  d->padding = fuzz_pick(b, 0, 1) ? TVMQ_PADDING_SAME : TVMQ_PADDING_VALID;
  d->batch = (int32_t)fuzz_pick(b, 0, 3) ? 1 : (int32_t)fuzz_pick(b, 1, 3);
  d->in_h = (int32_t)fuzz_pick(b, 1, 20);
  d->in_w = (int32_t)fuzz_pick(b, 1, 20);
  if (d->padding == TVMQ_PADDING_VALID && fuzz_pick(b, 0, 15)) {  // room for the filter
    d->in_h += (d->filter_h - 1) * d->dilation_h;
    d->in_w += (d->filter_w - 1) * d->dilation_w;
  }
  if (fuzz_pick(b, 0, 2) == 0) pick_border(b, &d->border);
  const int32_t small = (int32_t)fuzz_pick(b, 1, 9), groups = fuzz_pick(b, 0, 3) ? 1 : (int32_t)fuzz_pick(b, 1, 5);
  d->depth_multiplier = 1;
  if (d->depthwise) {
    d->in_c = (int32_t)fuzz_pick(b, 1, fuzz_pick(b, 0, 1) ? MAX_CHANNELS : 16);
    if (fuzz_pick(b, 0, 2) == 0) {
      d->depth_multiplier = small;
      d->in_c = d->in_c < small ? 1 : d->in_c / small;
    } else if (fuzz_pick(b, 0, 3) == 0) {  // channels that fit a block several times: it takes pixels side by side
      d->in_c = 1 << fuzz_pick(b, 0, 4);
      d->stride_w = d->dilation_w = 1;
    }
    d->out_c = d->in_c * d->depth_multiplier;
    d->filter_c = 1;
  } else {
    d->filter_c = (int32_t)fuzz_pick(b, 1, fuzz_pick(b, 0, 1) ? 80 : 4);
    d->in_c = d->filter_c * groups;
    d->out_c = groups * (int32_t)fuzz_pick(b, 1, MAX_CHANNELS / groups);
  }
  set_out_size(d);
}

static void pick_types(struct fuzz_bytes *b, struct tvmq_conv_desc *d) {
  static const enum tvmq_type types[] = {TVMQ_TYPE_S8, TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16};
  d->in_type = d->out_type = types[fuzz_pick(b, 0, 3)];
  d->filter_type = d->in_type == TVMQ_TYPE_U8 ? TVMQ_TYPE_U8 : TVMQ_TYPE_S8;
  d->bias_type = d->in_type == TVMQ_TYPE_S16 && (d->depthwise || fuzz_pick(b, 0, 1)) ? TVMQ_TYPE_S64 : TVMQ_TYPE_S32;
  d->activation = (enum tvmq_activation)fuzz_pick(b, TVMQ_ACTIVATION_NONE, TVMQ_ACTIVATION_RELU_N1_TO_1);
  if (d->in_type == TVMQ_TYPE_U8) {
    d->in.zero_point = (int32_t)fuzz_pick(b, 0, 255);
    d->out.zero_point = (int32_t)fuzz_pick(b, 0, 255);
    d->filter_zero_point = (int32_t)fuzz_pick(b, 0, 255);
  } else if (d->in_type == TVMQ_TYPE_S8) {
    d->in.zero_point = (int32_t)fuzz_pick(b, -128, 127);
    d->out.zero_point = (int32_t)fuzz_pick(b, -128, 127);
  }
}

// A row of pixels and a filter of 1x1.
static void become_fully_connected(struct fuzz_bytes *b, struct tvmq_conv_desc *d) {
  d->fully_connected = true;
  d->scaling = (enum tvmq_scaling)fuzz_pick(b, TVMQ_SCALING_FIXED_POINT, TVMQ_SCALING_FLOAT64);
  d->depthwise = false;
  d->border = (struct tvmq_border){0};
  d->batch = d->in_h = d->filter_h = d->filter_w = 1;
  d->stride_h = d->stride_w = d->dilation_h = d->dilation_w = d->depth_multiplier = 1;
  if (fuzz_pick(b, 0, 1)) d->in_w = 1;
  d->filter_c = d->in_c;
  set_out_size(d);
}

static float random_scale(void) { return (float)check_between(1 << 23, (1 << 24) - 1) * 0x1p-32f; }

// The output scale makes results span the output's codes, or is off by a power of two.
static void pick_scales(struct fuzz_bytes *b, struct conv *c) {
  struct tvmq_conv_desc *d = &c->desc;
  const double taps = (double)d->filter_h * d->filter_w * d->filter_c, codes = d->in_type == TVMQ_TYPE_S16 ? 1 : 64;
  const bool per_channel = d->in_type != TVMQ_TYPE_U8 && fuzz_pick(b, 0, 1);
  d->n_filter_scales = per_channel ? d->out_c : 1;
  d->filter_scales = c->scales;
  d->in.scale = random_scale();
  for (int32_t i = 0; i < d->n_filter_scales; i++) c->scales[i] = random_scale();
  const int off = c->far ? (int)fuzz_pick(b, 8, 16) : fuzz_pick(b, 0, 2) ? 0 : (int)fuzz_pick(b, -24, 24);
  const double span = (double)d->in.scale * (double)c->scales[0] * sqrt(taps) * codes * (double)check_between(50, 200) / 100;
  d->out.scale = (float)ldexp(d->filter_zero_point ? span * 3 : span, off);
  if (fuzz_pick(b, 0, 7) == 0) d->out.scale = d->in.scale * c->scales[0] * ldexpf(1, (int)fuzz_pick(b, 0, 8));  // ties
}

// One field, or two, to a value that makes no sense, or is huge.
static void spoil(struct fuzz_bytes *b, struct tvmq_conv_desc *d) {
  int32_t *const numbers[] = {&d->batch,         &d->in_h,           &d->in_w,
                              &d->in_c,          &d->out_h,          &d->out_w,
                              &d->out_c,         &d->filter_h,       &d->filter_w,
                              &d->filter_c,      &d->stride_h,       &d->stride_w,
                              &d->dilation_h,    &d->dilation_w,     &d->depth_multiplier,
                              &d->in.zero_point, &d->out.zero_point, &d->filter_zero_point,
                              &d->border.top,    &d->border.bottom,  &d->border.left,
                              &d->border.right};
  enum tvmq_type *const types[] = {&d->in_type, &d->out_type, &d->filter_type, &d->bias_type};
  float *const scales[] = {&d->in.scale, &d->out.scale};
  static const int32_t odd[] = {0, -1, INT32_MIN, INT32_MAX, 1 << 16, 40000, 2, 3, 7, 1 << 30}, far[] = {5, 31, 1000, INT16_MAX};
  static const float odd_scales[] = {0, -1, INFINITY, -INFINITY, NAN, 0x1p-149f, 0x1p-126f, 0x1p127f, 1};
  switch (fuzz_pick(b, 0, 4)) {
    case 0:  // legal, and more than most inputs have
      if (fuzz_pick(b, 0, 1)) {
        *(fuzz_pick(b, 0, 1) ? &d->stride_h : &d->stride_w) = far[fuzz_pick(b, 0, 3)];
        set_out_size(d);
        break;
      }
      *types[fuzz_pick(b, 0, 3)] = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
      break;
    case 1:
      *scales[fuzz_pick(b, 0, 1)] = odd_scales[fuzz_pick(b, 0, 8)];
      break;
    case 2:
      d->activation = (enum tvmq_activation)fuzz_pick(b, TVMQ_ACTIVATION_NONE, TVMQ_ACTIVATION_OTHER);
      d->dynamic_bias = fuzz_pick(b, 0, 1);
      break;
    default:
      *numbers[fuzz_pick(b, 0, (int64_t)(sizeof numbers / sizeof numbers[0]) - 1)] = odd[fuzz_pick(b, 0, 9)];
      break;
  }
}

static bool fits(double elements, double element_bytes) { return elements >= 0 && elements * element_bytes <= FUZZ_MAX_BYTES; }

static size_t activation_bytes(const struct tvmq_conv_desc *d) { return d->in_type == TVMQ_TYPE_S16 ? 2 : 1; }
static double in_elements(const struct tvmq_conv_desc *d) { return (double)d->batch * d->in_h * d->in_w * d->in_c; }
static double out_elements(const struct tvmq_conv_desc *d) { return (double)d->batch * d->out_h * d->out_w * d->out_c; }
static double filter_elements(const struct tvmq_conv_desc *d) { return (double)d->filter_h * d->filter_w * d->out_c * (d->depthwise ? 1 : d->filter_c); }

// Whether there is room for the tensors of the description. Without, it can still be claimed or refused.
static bool has_room(const struct tvmq_conv_desc *d) {
  const double work = out_elements(d) * d->filter_h * d->filter_w * (d->depthwise ? 1 : d->filter_c);
  return d->out_c >= 0 && d->out_c <= MAX_CHANNELS && work <= MAX_WORK && fits(in_elements(d), 4) && fits(out_elements(d), 4) && fits(filter_elements(d), 1);
}

// Random bytes, all the same extreme, or extremes in turn.
static void fill(uint8_t *tensor, size_t bytes, size_t element, uint8_t flip) {
  const uint32_t how = check_below(8);
  check_random_bytes(tensor, bytes);
  if (how >= 3) return;
  for (size_t i = 0; i < bytes / element; i++) {
    const bool low = how == 0 || (how == 2 && i % 2);
    memset(tensor + i * element, low ? 0 : 0xff, element);
    tensor[i * element + element - 1] = (uint8_t)((low ? 0x80 : 0x7f) ^ flip);
  }
}

static void make_constants(struct fuzz_bytes *b, struct conv *c) {
  struct tvmq_conv_desc *d = &c->desc;
  const size_t n = (size_t)filter_elements(d), bias_bytes = d->bias_type == TVMQ_TYPE_S64 ? 8 : 4;
  const struct fuzz_tensor filter = fuzz_tensor(FUZZ_FILTER, n, c->side), bias = fuzz_tensor(FUZZ_BIAS, (size_t)d->out_c * bias_bytes, c->side);
  fill(filter.write, n, 1, d->filter_type == TVMQ_TYPE_U8 ? 0x80 : 0);
  if (d->filter_type == TVMQ_TYPE_S8 && fuzz_pick(b, 0, 2)) {  // the range of the specification
    for (size_t i = 0; i < n; i++) {
      if (((int8_t *)filter.write)[i] == INT8_MIN) ((int8_t *)filter.write)[i] = -INT8_MAX;
    }
  }
  const uint32_t bits = fuzz_pick(b, 0, 3) ? 16 : bias_bytes == 8 ? 46 : 31;
  for (int32_t o = 0; o < d->out_c; o++) {
    int64_t value = check_between(-(INT64_C(1) << bits), (INT64_C(1) << bits) - 1);
    if (c->far) value = check_between(INT32_MAX / 8 * 7, INT32_MAX) * (check_one_in(2) ? 1 : -1);
    memcpy((uint8_t *)bias.write + (size_t)o * bias_bytes, &value, bias_bytes);
  }
  d->filter = filter.read;
  d->bias = fuzz_pick(b, 0, 7) ? bias.read : NULL;
}

static const char *type_name(enum tvmq_type type) {
  static const char *const names[] = {"other", "s8", "u8", "s16", "s32", "s64", "f32", "s4"};
  return type <= TVMQ_TYPE_S4 ? names[type] : "?";
}

static void describe(const struct tvmq_conv_desc *d, const struct tvmq_env *env, char *text, size_t size) {
  snprintf(text, size,
           "%s %s, weights %s, bias %s: input %dx%dx%dx%d, border %d+%d x %d+%d, output %dx%dx%d, filter %dx%dx%d, stride %dx%d, dilation %dx%d, multiplier "
           "%d, padding %s, "
           "activation %d, "
           "zero points %d %d -> %d, scales %a %a (of %d) -> %a, rounding %d, cpu %#x, threads %d",
           d->depthwise                         ? "depthwise"
           : d->scaling == TVMQ_SCALING_FLOAT64 ? "fully connected, float64"
           : d->fully_connected                 ? "fully connected"
                                                : "conv",
           type_name(d->in_type), type_name(d->filter_type), d->bias ? type_name(d->bias_type) : "none", d->batch, d->in_h, d->in_w, d->in_c, d->border.top,
           d->border.bottom, d->border.left, d->border.right, d->out_h, d->out_w, d->out_c, d->filter_h, d->filter_w, d->filter_c, d->stride_h, d->stride_w,
           d->dilation_h, d->dilation_w, d->depth_multiplier, d->padding == TVMQ_PADDING_SAME ? "SAME" : "VALID", d->activation, d->in.zero_point,
           d->filter_zero_point, d->out.zero_point, (double)d->in.scale, (double)d->filter_scales[0], d->n_filter_scales, (double)d->out.scale, env->rounding,
           env->cpu, tvmq_threads_count(env->threads));
}

static void run(const struct conv *c, struct tvmq_op **op, const struct tvmq_env *env) {
  static uint8_t expected[FUZZ_MAX_BYTES];
  const struct tvmq_conv_desc *d = &c->desc;
  char text[600];
  describe(d, env, text, sizeof text);
  fuzz_about(text);
  const size_t element = activation_bytes(d), in_bytes = (size_t)in_elements(d) * element, out_bytes = (size_t)out_elements(d) * element;
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, in_bytes, c->side);
  fill(in.write, in_bytes, element, d->in_type == TVMQ_TYPE_U8 ? 0x80 : 0);
  oracle_conv(d, env->rounding, in.read, expected);
  fuzz_run(c->op_class, op, &(union tvmq_desc){.conv = *d}, env, &in.read, expected, out_bytes, c->side);
}

void fuzz_conv(struct fuzz_bytes *b, const struct tvmq_env *env) {
  struct conv c = {.side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END};
  struct tvmq_conv_desc *d = &c.desc;
  c.far = fuzz_pick(b, 0, 15) == 0;
  pick_shape(b, d);
  if (fuzz_pick(b, 0, 7) == 0) become_fully_connected(b, d);
  pick_types(b, d);
  pick_scales(b, &c);
  // Multipliers that stand for a product in float64 are made for a single rounding; with two nothing is known of them.
  if (d->scaling == TVMQ_SCALING_FLOAT64 && env->rounding == TVMQ_ROUNDING_UPWARD) d->scaling = TVMQ_SCALING_FIXED_POINT;
  const bool spoiled = fuzz_pick(b, 0, 3) == 0;
  if (spoiled) spoil(b, d);
  const bool room = has_room(d);
  static const uint8_t byte;
  if (room) {
    make_constants(b, &c);
  } else {
    d->filter = &byte;  // claiming does not look at weights
    d->n_filter_scales = 1;
  }
  char text[600];
  describe(d, env, text, sizeof text);
  fuzz_about(text);
  // Convolutions compute depthwise ones too.
  c.op_class = d->depthwise && fuzz_pick(b, 0, 3) != 0 ? &tvmq_op_depthwise : &tvmq_op_conv;
  const char *why = fuzz_claim(&tvmq_operator_conv, &(union tvmq_desc){.conv = *d});
  if (why || !room) return;

  struct tvmq_op *op = NULL;
  run(&c, &op, env);
  // The same operator for another input size, as after a resize.
  *(d->fully_connected ? &d->in_w : &d->in_h) = (int32_t)fuzz_pick(b, 1, 20);
  if (!d->fully_connected) d->batch = (int32_t)fuzz_pick(b, 1, 2);
  set_out_size(d);
  if (has_room(d) && !tvmq_operator_conv.claim(&(union tvmq_desc){.conv = *d})) run(&c, &op, env);
  tvmq_op_release(c.op_class, op);
}
