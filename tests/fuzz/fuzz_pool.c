// AVERAGE_POOL_2D and MAX_POOL_2D, this one with or without a border.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "oracle_conv.h"
#include "support/oracle.h"
#include "support/random.h"

static const float ODD_SCALES[] = {0, -1, INFINITY, NAN, 0x1p-149f, 0x1p127f};

static int32_t quantized(float real, struct tvmq_quant q) { return (int32_t)roundf(real / q.scale) + q.zero_point; }

// Channel c of the pixel at (y, x) of the padded image b.
static int32_t element_at(const struct tvmq_pool_desc *d, const void *in, int64_t b, int64_t y, int64_t x, int64_t c) {
  y -= d->border.top;
  x -= d->border.left;
  if (y < 0 || y >= d->in_h || x < 0 || x >= d->in_w) return d->border.value;
  return oracle_load(d->in_type, in, (size_t)(((b * d->in_h + y) * d->in_w + x) * d->channels + c));
}

static void pool(const struct tvmq_pool_desc *d, const void *in, uint8_t *out) {
  const int64_t in_h = (int64_t)d->border.top + d->in_h + d->border.bottom, in_w = (int64_t)d->border.left + d->in_w + d->border.right;
  int64_t top, left;
  oracle_out_size(d->padding, in_h, d->filter_h, d->stride_h, 1, &top);
  oracle_out_size(d->padding, in_w, d->filter_w, d->stride_w, 1, &left);
  const struct tvmq_range range = tvmq_type_range(d->out_type);
  int32_t min = range.min, max = range.max;
  if (d->activation == TVMQ_ACTIVATION_RELU || d->activation == TVMQ_ACTIVATION_RELU6) min = quantized(0, d->out);
  if (d->activation == TVMQ_ACTIVATION_RELU_N1_TO_1) min = quantized(-1, d->out);
  if (d->activation == TVMQ_ACTIVATION_RELU6) max = quantized(6, d->out);
  if (d->activation == TVMQ_ACTIVATION_RELU_N1_TO_1) max = quantized(1, d->out);
  const size_t element = d->in_type == TVMQ_TYPE_S16 ? 2 : 1;
  size_t n = 0;
  for (int64_t b = 0; b < d->batch; b++) {
    for (int64_t y = 0; y < d->out_h; y++) {
      for (int64_t x = 0; x < d->out_w; x++) {
        for (int64_t c = 0; c < d->channels; c++) {
          int64_t sum = 0, taps = 0;
          int32_t largest = INT32_MIN;
          for (int64_t i = y * d->stride_h - top; i < y * d->stride_h - top + d->filter_h && i < in_h; i++) {
            for (int64_t j = x * d->stride_w - left; i >= 0 && j < x * d->stride_w - left + d->filter_w && j < in_w; j++) {
              if (j < 0) continue;
              const int32_t value = element_at(d, in, b, i, j, c);
              largest = value > largest ? value : largest;
              sum += value;
              taps++;
            }
          }
          int32_t pooled = d->pooling == TVMQ_POOLING_MAX ? largest : oracle_mean(d->in_type, sum, taps);
          pooled = pooled < min ? min : pooled;
          pooled = pooled > max ? max : pooled;
          memcpy(out + n++ * element, &pooled, element);
        }
      }
    }
  }
}

static void pool_floats(const struct tvmq_pool_desc *d, const float *in, float *out) {
  int64_t top, left;
  oracle_out_size(d->padding, d->in_h, d->filter_h, d->stride_h, 1, &top);
  oracle_out_size(d->padding, d->in_w, d->filter_w, d->stride_w, 1, &left);
  for (int64_t n = 0; n < (int64_t)d->batch * d->out_h * d->out_w * d->channels; n++) {
    const int64_t c = n % d->channels, x = n / d->channels % d->out_w, y = n / d->channels / d->out_w % d->out_h, b = n / d->channels / d->out_w / d->out_h;
    float sum = 0, largest = -FLT_MAX, taps = 0;
    for (int64_t i = y * d->stride_h - top; i < y * d->stride_h - top + d->filter_h; i++) {
      for (int64_t j = x * d->stride_w - left; j < x * d->stride_w - left + d->filter_w; j++) {
        if (i < 0 || i >= d->in_h || j < 0 || j >= d->in_w) continue;
        const float value = in[((b * d->in_h + i) * d->in_w + j) * d->channels + c];
        if (largest < value) largest = value;
        sum += value;
        taps++;
      }
    }
    out[n] = fuzz_cut(d->activation, d->pooling == TVMQ_POOLING_MAX ? largest : sum / taps);
  }
}

// Mostly small, now and then whatever an option may hold.
static int32_t size(struct fuzz_bytes *b, int64_t small) {
  static const int32_t hostile[] = {0, -1, INT32_MIN, INT32_MAX, 1 << 20, 70000};
  return fuzz_pick(b, 0, 31) == 0 ? hostile[fuzz_pick(b, 0, 5)] : (int32_t)fuzz_pick(b, 1, small);
}

void fuzz_pool(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(float) uint8_t expected[FUZZ_MAX_BYTES];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_pool_desc d = {.batch = size(b, 2), .in_h = size(b, 20), .in_w = size(b, 20), .channels = size(b, fuzz_pick(b, 0, 1) ? 20 : 140)};
  d.in_type = fuzz_pick(b, 0, 7) == 0 ? TVMQ_TYPE_F32
              : fuzz_pick(b, 0, 15)   ? (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_S8, TVMQ_TYPE_S16)
                                      : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  d.out_type = fuzz_pick(b, 0, 15) ? d.in_type : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  const bool global = fuzz_pick(b, 0, 3) == 0;
  d.filter_h = global ? d.in_h : size(b, 5);
  d.filter_w = global ? d.in_w : size(b, fuzz_pick(b, 0, 1) ? 3 : 24);
  d.stride_h = size(b, fuzz_pick(b, 0, 1) ? 1 : 6);
  d.stride_w = size(b, fuzz_pick(b, 0, 1) ? 1 : 6);
  d.padding = fuzz_pick(b, 0, 31) ? (enum tvmq_padding)fuzz_pick(b, 0, 1) : 2;
  d.activation = fuzz_pick(b, 0, 1) ? TVMQ_ACTIVATION_NONE : (enum tvmq_activation)fuzz_pick(b, TVMQ_ACTIVATION_NONE, TVMQ_ACTIVATION_OTHER);
  const struct tvmq_range range = tvmq_type_range(d.in_type);
  d.in = (struct tvmq_quant){ldexpf(1.0f + (float)check_below(1000) / 1000, (int)fuzz_pick(b, -12, 0)), (int32_t)check_between(range.min, range.max)};
  d.out = d.in;
  if (fuzz_pick(b, 0, 15) == 0) (fuzz_pick(b, 0, 1) ? &d.in : &d.out)->scale = ODD_SCALES[fuzz_pick(b, 0, 5)];
  if (fuzz_pick(b, 0, 15) == 0) d.in.scale = nextafterf(d.out.scale, 1);
  if (fuzz_pick(b, 0, 15) == 0) d.in.zero_point = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  d.pooling = (enum tvmq_pooling)fuzz_pick(b, 0, 1);
  if (d.pooling == TVMQ_POOLING_MAX && fuzz_pick(b, 0, 1)) {
    const int64_t most = fuzz_pick(b, 0, 3) ? 2 : 9;
    d.border = (struct tvmq_border){(int32_t)fuzz_pick(b, 0, most), (int32_t)fuzz_pick(b, 0, most), (int32_t)fuzz_pick(b, 0, most),
                                    (int32_t)fuzz_pick(b, 0, most), (int32_t)check_between(range.min, range.max)};
  }
  int64_t padding;
  if (d.in_h > 0 && d.stride_h > 0) {
    d.out_h = oracle_out_size(d.padding, (int64_t)d.border.top + d.in_h + d.border.bottom, d.filter_h, d.stride_h, 1, &padding);
  }
  if (d.in_w > 0 && d.stride_w > 0) {
    d.out_w = oracle_out_size(d.padding, (int64_t)d.border.left + d.in_w + d.border.right, d.filter_w, d.stride_w, 1, &padding);
  }

  char text[400];
  snprintf(text, sizeof text,
           "pool %d of type %d -> %d, border %d %d %d %d of %d, %d x %d x %d x %d -> %d x %d, filter %d x %d, stride %d x %d, padding %d, activation %d, "
           "scales %a %a, zero points "
           "%d %d, "
           "cpu %#x",
           d.pooling, d.in_type, d.out_type, d.border.top, d.border.bottom, d.border.left, d.border.right, d.border.value, d.batch, d.in_h, d.in_w, d.channels,
           d.out_h, d.out_w, d.filter_h, d.filter_w, d.stride_h, d.stride_w, d.padding, d.activation, (double)d.in.scale, (double)d.out.scale, d.in.zero_point,
           d.out.zero_point, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.pool = d};
  const char *why = fuzz_claim(&tvmq_operator_pool, &desc);
  if (why) return;
  const size_t element = tvmq_type_bytes(d.in_type), channels = (size_t)d.batch * (size_t)d.channels * element;
  const size_t in_bytes = channels * (size_t)d.in_h * (size_t)d.in_w, out_bytes = channels * (size_t)d.out_h * (size_t)d.out_w;
  if (in_bytes > FUZZ_MAX_BYTES || out_bytes > FUZZ_MAX_BYTES) return;
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, in_bytes, side);
  check_random_bytes(in.write, in_bytes);
  if (d.in_type == TVMQ_TYPE_F32) {
    fuzz_numbers(in.write, in_bytes / element);
    pool_floats(&d, in.read, (float *)expected);
  } else {
    pool(&d, in.read, expected);
  }
  struct tvmq_op *op = NULL;
  const struct tvmq_implementation *op_class = tvmq_op_computed_by(&tvmq_op_pool, &desc, env);
  fuzz_run(op_class, &op, &desc, env, &in.read, expected, out_bytes, side);
  tvmq_op_release(op_class, op);
}
