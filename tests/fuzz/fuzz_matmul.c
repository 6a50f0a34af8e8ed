// BATCH_MATMUL of int8 and float32, of matrices that lie either way, over dimensions that are broadcast; and with what FULLY_CONNECTED has besides: a bias, an
// activation, sums that are scaled in float64, and finite results.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "fuzz.h"
#include "oracle_conv.h"
#include "support/random.h"

enum { MOST_WORK = 1 << 19, MOST_SIZE = 70 };

struct matmul {
  struct tvmq_matmul_desc desc;
  float right_scale;
  int32_t bias[MOST_SIZE];
  float float_bias[MOST_SIZE];
};

// The inputs have the same size of a dimension, or one of them repeats.
static void pick_batch(struct fuzz_bytes *b, struct tvmq_matmul_desc *d) {
  d->products = d->lefts = d->rights = 1;
  for (int i = TVMQ_MATMUL_BATCH_DIMS; i-- > 0;) {
    const int32_t n = fuzz_pick(b, 0, 1) ? 1 : (int32_t)fuzz_pick(b, 1, 4), repeats = (int32_t)fuzz_pick(b, 0, 3);
    const int32_t left = repeats == 1 ? 1 : n, right = repeats == 2 ? 1 : n;
    d->batch[i] = n;
    d->left_strides[i] = left == 1 ? 0 : d->lefts;
    d->right_strides[i] = right == 1 ? 0 : d->rights;
    d->products *= n;
    d->lefts *= left;
    d->rights *= right;
  }
}

static void pick_fully_connected(struct fuzz_bytes *b, struct matmul *m) {
  struct tvmq_conv_desc *c = &m->desc.conv;
  c->activation = (enum tvmq_activation)fuzz_pick(b, TVMQ_ACTIVATION_NONE, TVMQ_ACTIVATION_RELU_N1_TO_1);
  if (fuzz_pick(b, 0, 1)) c->scaling = TVMQ_SCALING_FLOAT64;
  if (fuzz_pick(b, 0, 3) == 0) return;
  c->bias = m->bias;
  for (int32_t i = 0; i < MOST_SIZE; i++) m->bias[i] = (int32_t)(fuzz_pick(b, 0, 7) == 0 ? check_between(-(1 << 30), 1 << 30) : check_between(-9999, 9999));
}

static void pick_conv(struct fuzz_bytes *b, struct tvmq_conv_desc *c, float *right_scale) {
  const int64_t most = fuzz_pick(b, 0, 1) ? 9 : MOST_SIZE;
  *c = (struct tvmq_conv_desc){
      .fully_connected = true,
      .scaling = TVMQ_SCALING_FIXED_POINT,
      .in_type = TVMQ_TYPE_S8,
      .filter_type = TVMQ_TYPE_S8,
      .out_type = TVMQ_TYPE_S8,
      .bias_type = TVMQ_TYPE_S32,
      .batch = 1,
      .in_h = 1,
      .in_w = (int32_t)fuzz_pick(b, 1, most),
      .in_c = (int32_t)fuzz_pick(b, 1, fuzz_pick(b, 0, 3) ? most : 600),
      .out_h = 1,
      .out_c = (int32_t)fuzz_pick(b, 1, most),
      .filter_h = 1,
      .filter_w = 1,
      .stride_h = 1,
      .stride_w = 1,
      .dilation_h = 1,
      .dilation_w = 1,
      .depth_multiplier = 1,
      .padding = TVMQ_PADDING_VALID,
      .activation = TVMQ_ACTIVATION_NONE,
      .in = {ldexpf((float)check_between(1 << 23, (1 << 24) - 1), -32), (int32_t)fuzz_pick(b, -128, 127)},
      .out.zero_point = (int32_t)fuzz_pick(b, -128, 127),
      .filter_zero_point = fuzz_pick(b, 0, 1) ? (int32_t)fuzz_pick(b, -128, 127) : 0,
      .filter_scales = right_scale,
      .n_filter_scales = 1,
  };
  c->filter_c = c->in_c;
  c->out_w = c->in_w;
  *right_scale = ldexpf((float)check_between(1 << 23, (1 << 24) - 1), -32);
  const int off = fuzz_pick(b, 0, 2) ? 0 : (int)fuzz_pick(b, -24, 24);
  c->out.scale = c->in.scale * *right_scale * ldexpf(sqrtf((float)c->in_c) * (float)check_between(32, 200), off);
  if (fuzz_pick(b, 0, 7) == 0) c->out.scale = c->in.scale * *right_scale * ldexpf(1, (int)fuzz_pick(b, 0, 8));  // ties
}

// Makes float32 of all tensors.
static void pick_floats(struct fuzz_bytes *b, struct matmul *m) {
  struct tvmq_conv_desc *c = &m->desc.conv;
  c->in_type = c->filter_type = c->out_type = c->bias_type = TVMQ_TYPE_F32;
  c->hybrid = (enum tvmq_hybrid)fuzz_pick(b, TVMQ_HYBRID_NEON, TVMQ_HYBRID_PORTABLE);
  c->float32 = (enum tvmq_float32)fuzz_pick(b, TVMQ_FLOAT32_UNKNOWN, TVMQ_FLOAT32_FUSED);
  m->desc.finite = fuzz_pick(b, 0, 1);
  if (c->bias == NULL) return;
  c->bias = m->float_bias;
  for (int32_t i = 0; i < MOST_SIZE; i++) m->float_bias[i] = ldexpf((float)m->bias[i], -20);
}

static void spoil(struct fuzz_bytes *b, struct matmul *m) {
  struct tvmq_conv_desc *c = &m->desc.conv;
  int32_t *const numbers[] = {&c->in_w, &c->in_c, &c->out_c, &c->in.zero_point, &c->out.zero_point, &c->filter_zero_point};
  enum tvmq_type *const types[] = {&c->in_type, &c->filter_type, &c->out_type};
  float *const scales[] = {&c->in.scale, &c->out.scale, &m->right_scale};
  static const int32_t odd[] = {0, -1, INT32_MIN, INT32_MAX, 1 << 16, 1 << 30};
  static const float odd_scales[] = {0, -1, INFINITY, NAN, 0x1p-149f, 0x1p127f};
  const int64_t what = fuzz_pick(b, 0, 2);
  if (what == 0) *types[fuzz_pick(b, 0, 2)] = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  if (what == 1) *scales[fuzz_pick(b, 0, 2)] = odd_scales[fuzz_pick(b, 0, 5)];
  if (what == 2) *numbers[fuzz_pick(b, 0, 5)] = odd[fuzz_pick(b, 0, 5)];
  if (c->out_c > MOST_SIZE) c->bias = NULL;  // the reader has seen as many as there are outputs
  c->filter_c = c->in_c;
  c->out_w = c->in_w;
}

static size_t matrix_at(const struct tvmq_matmul_desc *d, const int32_t place[TVMQ_MATMUL_BATCH_DIMS], const int32_t strides[TVMQ_MATMUL_BATCH_DIMS]) {
  size_t index = 0;
  for (int i = 0; i < TVMQ_MATMUL_BATCH_DIMS; i++) index += (size_t)(place[i] % d->batch[i]) * (size_t)strides[i];
  return index;
}

static size_t left_at(const struct tvmq_matmul_desc *d, size_t y, size_t k) { return d->adj_x ? k * (size_t)d->conv.in_w + y : y * (size_t)d->conv.in_c + k; }
static size_t right_at(const struct tvmq_matmul_desc *d, size_t k, size_t x) { return d->adj_y ? x * (size_t)d->conv.in_c + k : k * (size_t)d->conv.out_c + x; }

static int8_t code_at(const struct tvmq_matmul_desc *d, enum tvmq_rounding rounding, const int8_t *left, const int8_t *right, size_t y, size_t x) {
  const struct oracle_stage stage = oracle_stage(&d->conv, rounding, (int32_t)x);
  int64_t sum = 0;
  for (size_t k = 0; k < (size_t)d->conv.in_c; k++) {
    const int32_t l = left[left_at(d, y, k)], r = right[right_at(d, k, x)];
    sum += (l - d->conv.in.zero_point) * (r - d->conv.filter_zero_point);
  }
  return (int8_t)oracle_code(&stage, sum);
}

static float real_at(const struct tvmq_matmul_desc *d, const float *left, const float *right, size_t y, size_t x) {
  static const struct {
    float low, high;
  } bounds[] = {[TVMQ_ACTIVATION_RELU] = {0, FLT_MAX}, [TVMQ_ACTIVATION_RELU6] = {0, 6}, [TVMQ_ACTIVATION_RELU_N1_TO_1] = {-1, 1}};
  const enum tvmq_activation activation = d->conv.activation;
  const float most = d->finite ? FLT_MAX : INFINITY, high = activation > TVMQ_ACTIVATION_RELU ? bounds[activation].high : most;
  const float low = activation != TVMQ_ACTIVATION_NONE ? bounds[activation].low : -most;
  volatile float product, sum = 0;
  const size_t depth = (size_t)d->conv.in_c, separate = d->conv.float32 == TVMQ_FLOAT32_FUSED ? depth / 8 * 8 : depth;
  for (size_t k = 0; k < separate; k++) {
    product = left[left_at(d, y, k)] * right[right_at(d, k, x)];
    sum = sum + product;
  }
  for (size_t k = separate; k < depth; k++) sum = fmaf(left[left_at(d, y, k)], right[right_at(d, k, x)], sum);
  if (d->conv.bias != NULL) sum = sum + ((const float *)d->conv.bias)[x];
  return fminf(fmaxf(sum, low), high);
}

static void product(const struct tvmq_matmul_desc *d, enum tvmq_rounding rounding, const void *left, const void *right, void *out) {
  const size_t rows = (size_t)d->conv.in_w, columns = (size_t)d->conv.out_c;
  for (size_t y = 0; y < rows; y++) {
    for (size_t x = 0; x < columns; x++) {
      if (d->conv.in_type == TVMQ_TYPE_F32)
        ((float *)out)[y * columns + x] = real_at(d, left, right, y, x);
      else
        ((int8_t *)out)[y * columns + x] = code_at(d, rounding, left, right, y, x);
    }
  }
}

static void matmul(const struct tvmq_matmul_desc *d, enum tvmq_rounding rounding, const uint8_t *left, const uint8_t *right, uint8_t *out) {
  const size_t size = tvmq_type_bytes(d->conv.in_type);
  const size_t rows = (size_t)d->conv.in_w, depth = (size_t)d->conv.in_c * size, columns = (size_t)d->conv.out_c;
  int32_t at[TVMQ_MATMUL_BATCH_DIMS];
  for (at[0] = 0; at[0] < d->batch[0]; at[0]++) {
    for (at[1] = 0; at[1] < d->batch[1]; at[1]++) {
      for (at[2] = 0; at[2] < d->batch[2]; at[2]++, out += rows * columns * size)
        product(d, rounding, left + matrix_at(d, at, d->left_strides) * rows * depth, right + matrix_at(d, at, d->right_strides) * depth * columns, out);
    }
  }
}

static void fill(enum tvmq_type type, void *tensor, size_t bytes) {
  check_random_bytes(tensor, bytes);
  float *const reals = tensor;
  for (size_t i = 0; type == TVMQ_TYPE_F32 && i < bytes / sizeof *reals; i++)
    reals[i] = ldexpf((float)check_between(-(1 << 24), 1 << 24), (int)check_between(-30, check_one_in(200) ? 80 : -18));
}

void fuzz_matmul(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(16) uint8_t expected[FUZZ_MAX_BYTES];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct matmul m = {.desc = {.adj_x = fuzz_pick(b, 0, 1), .adj_y = fuzz_pick(b, 0, 1)}};
  struct tvmq_matmul_desc *const d = &m.desc;
  pick_conv(b, &d->conv, &m.right_scale);
  pick_batch(b, d);
  if (fuzz_pick(b, 0, 1)) pick_fully_connected(b, &m);
  if (fuzz_pick(b, 0, 3) == 0) pick_floats(b, &m);
  if (fuzz_pick(b, 0, 7) == 0) spoil(b, &m);
  const struct tvmq_conv_desc *const c = &d->conv;
  char text[400];
  snprintf(text, sizeof text,
           "matmul of %d x %d by %d, batch %dx%dx%d, strides %d,%d,%d and %d,%d,%d, transposed %d %d, zero points %d %d -> %d, scales %a %a -> %a, "
           "type %d, finite %d, bias %d, activation %d, scaling %d, rounding %d, cpu %#x, threads %d",
           c->in_w, c->in_c, c->out_c, d->batch[0], d->batch[1], d->batch[2], d->left_strides[0], d->left_strides[1], d->left_strides[2], d->right_strides[0],
           d->right_strides[1], d->right_strides[2], d->adj_x, d->adj_y, c->in.zero_point, c->filter_zero_point, c->out.zero_point, (double)c->in.scale,
           (double)m.right_scale, (double)c->out.scale, c->in_type, d->finite, c->bias != NULL, c->activation, c->scaling, env->rounding, env->cpu,
           tvmq_threads_count(env->threads));
  fuzz_about(text);
  const union tvmq_desc desc = {.matmul = *d};
  const char *why = fuzz_claim(&tvmq_operator_matmul, &desc);
  if (why || (double)d->products * c->in_w * c->in_c * c->out_c > MOST_WORK) return;
  const size_t rows = (size_t)c->in_w, depth = (size_t)c->in_c, columns = (size_t)c->out_c, size = tvmq_type_bytes(c->in_type);
  const size_t left_bytes = (size_t)d->lefts * rows * depth * size, right_bytes = (size_t)d->rights * depth * columns * size,
               out_bytes = (size_t)d->products * rows * columns * size;
  if (left_bytes > FUZZ_MAX_BYTES || right_bytes > FUZZ_MAX_BYTES || out_bytes > FUZZ_MAX_BYTES) return;
  const struct fuzz_tensor left = fuzz_tensor(FUZZ_IN, left_bytes, side), right = fuzz_tensor(FUZZ_IN_2, right_bytes, side);
  fill(c->in_type, left.write, left_bytes);
  fill(c->in_type, right.write, right_bytes);
  matmul(d, env->rounding, left.read, right.read, expected);
  const void *const in[] = {left.read, right.read};
  struct tvmq_op *op = NULL;
  const struct tvmq_implementation *const by = tvmq_op_computed_by(&tvmq_op_matmul, &desc, env);
  fuzz_run(by, &op, &desc, env, in, expected, out_bytes, side);
  tvmq_op_release(by, op);
}
