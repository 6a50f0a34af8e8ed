// Functions of one element, CAST and DEQUANTIZE.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "operators/unary_table.h"
#include "operators/word_function.h"
#include "support/oracle.h"
#include "support/random.h"

// ---- what the reference computes in float32, with the mathematics library at hand

static float logistic(float v) { return 1 / (1 + expf(-v)); }
static float gelu(float v) { return 0.5f * v * erfcf(v * -0.70710678118654752440f); }
static float gelu_tanh(float v) { return 0.5f * v * (1 + tanhf(0.79788456080286535588f * (v + 0.044715f * v * v * v))); }

static float logarithm(float v) { return v > 0 ? logf(v) : -INFINITY; }  // clamped to the least output
static float elu(float v) { return v < 0 ? expm1f(v) : v; }

static const struct {
  const char *name;
  float (*in_float)(float v);  // NULL: in integers
  double low, high;            // real numbers, of functions that rescale and clamp
} functions[] = {
    [TVMQ_FUNCTION_LOGISTIC] = {"logistic", logistic, 0, 0},
    [TVMQ_FUNCTION_TANH] = {"tanh", tanhf, 0, 0},
    [TVMQ_FUNCTION_HARD_SWISH] = {"hard swish", NULL, 0, 0},
    [TVMQ_FUNCTION_RELU] = {"relu", NULL, 0, INFINITY},
    [TVMQ_FUNCTION_RELU6] = {"relu6", NULL, 0, 6},
    [TVMQ_FUNCTION_RELU_N1_TO_1] = {"relu n1 to 1", NULL, -1, 1},
    [TVMQ_FUNCTION_RELU_0_TO_1] = {"relu 0 to 1", NULL, 0, 1},
    [TVMQ_FUNCTION_LEAKY_RELU] = {"leaky relu", NULL, -INFINITY, INFINITY},
    [TVMQ_FUNCTION_GELU] = {"gelu", gelu, 0, 0},
    [TVMQ_FUNCTION_GELU_TANH] = {"gelu tanh", gelu_tanh, 0, 0},
    [TVMQ_FUNCTION_EXP] = {"exp", expf, 0, 0},
    [TVMQ_FUNCTION_LOG] = {"log", logarithm, 0, 0},
    [TVMQ_FUNCTION_ELU] = {"elu", elu, 0, 0},
    [TVMQ_FUNCTION_ABS] = {"abs", NULL, -INFINITY, INFINITY},
    [TVMQ_FUNCTION_RSQRT] = {"rsqrt", NULL, 0, 0},
    [TVMQ_FUNCTION_SQRT] = {"sqrt", NULL, 0, 0},
    [TVMQ_FUNCTION_SQUARE] = {"square", NULL, 0, 0},
    [TVMQ_FUNCTION_NEG] = {"neg", NULL, 0, 0},
};

static double of_float(const struct tvmq_unary_desc *d, int32_t x) {
  const float inverse = 1 / d->out.scale, v = d->in.scale * (float)x;
  return roundf(functions[d->function].in_float(v) * inverse);
}

// ---- in integers

// Above a zero point that is added in 32 bits.
static double rescaled(float ratio, enum tvmq_rounding rounding, int32_t x, int32_t zero_point) {
  int32_t multiplier, shift;
  oracle_fixed_point((double)ratio, &multiplier, &shift);
  return (double)oracle_wrap((__int128)oracle_round_s32(rounding, x, multiplier, shift) + zero_point) - zero_point;
}

static double quantized(const struct tvmq_unary_desc *d, double real) { return isinf(real) ? real : roundf((float)real / d->out.scale); }

static double clamped(const struct tvmq_unary_desc *d, enum tvmq_rounding rounding, int32_t x) {
  const float below = d->in.scale * d->alpha / d->out.scale;
  const float ratio = d->function == TVMQ_FUNCTION_LEAKY_RELU && x < 0 ? below : d->in.scale / d->out.scale;
  const double value = rescaled(ratio, rounding, d->function == TVMQ_FUNCTION_ABS ? abs(x) : x, d->out.zero_point);
  return fmin(fmax(value, quantized(d, functions[d->function].low)), quantized(d, functions[d->function].high));
}

static double to_int16(double x) { return fmin(fmax(x, INT16_MIN), INT16_MAX); }
static double multiplied(double x, double multiplier) { return floor(x * multiplier / 32768 + 0.5); }

static int32_t multiplier_of(float ratio, int32_t *shift) {
  int32_t multiplier;
  oracle_fixed_point((double)ratio, &multiplier, shift);
  return (int32_t)fmin(floor(multiplier / 65536.0 + 0.5), INT16_MAX);
}

// x * relu6(x + 3) / 6 in 16 bits: the second factor is -1...1 of x / 3, of 15 bits, then brought to 0...1.
static double hard_swish(const struct tvmq_unary_desc *d, int32_t x) {
  int32_t out_shift, gate_shift;
  const float fine = d->in.scale / 128;
  const int32_t out = multiplier_of(fine / d->out.scale, &out_shift), slope = multiplier_of(fine / (3.0f / 32768), &gate_shift);
  double gate = x * 128.0;
  if (gate_shift > 0) {
    gate = to_int16(2 * multiplied(to_int16(ldexp(gate, gate_shift - 1)), slope));
  } else {
    gate = round(ldexp(multiplied(gate, slope), gate_shift));
  }
  const double product = trunc(floor((gate + 32768) / 2) * multiplied(x * 128.0, out) / 32768);
  return round(ldexp(product, out_shift));
}

// The reference's method misses the nearest number of 20 bits behind the point for three numbers.
static double inverse_root(const struct tvmq_unary_desc *d, enum tvmq_rounding rounding, int32_t x) {
  if (x == 0) return INFINITY;
  int32_t multiplier, shift;
  oracle_fixed_point(1 / (double)(sqrtf(d->in.scale) * d->out.scale), &multiplier, &shift);
  const int32_t root = (int32_t)round(0x1p20 / sqrt(x)) - (x == 2 || x == 8 || x == 131);
  return oracle_round_s32(rounding, root, multiplier, shift - 20);
}

static void compute(const struct tvmq_unary_desc *d, enum tvmq_rounding rounding, const void *in, void *out) {
  const size_t bytes = tvmq_type_bytes(d->in_type);
  const struct tvmq_range range = tvmq_type_range(d->out_type);
  struct tvmq_unary_line line;
  if (bytes == 2 && !tvmq_unary_line(d, &line)) {  // the formula of which Python's tests hold every element against the runtimes
    struct tvmq_word_map map;
    tvmq_unary_words(d, &map);
    for (size_t i = 0; i < d->n; i++) ((int16_t *)out)[i] = tvmq_word_map_value(&map, ((const int16_t *)in)[i]);
    return;
  }
  for (size_t i = 0; i < d->n; i++) {
    const int32_t x = oracle_load(d->in_type, in, i) - d->in.zero_point;
    const double value = functions[d->function].in_float != NULL   ? of_float(d, x)
                         : d->function == TVMQ_FUNCTION_HARD_SWISH ? hard_swish(d, x)
                         : d->function == TVMQ_FUNCTION_RSQRT      ? inverse_root(d, rounding, x)
                                                                   : clamped(d, rounding, x);
    const int32_t found = (int32_t)fmin(fmax(value + d->out.zero_point, range.min), range.max);
    memcpy((uint8_t *)out + i * bytes, &found, bytes);
  }
}

// alone: the element is one of the last, which fill no packet of four.
static float float_of(const struct tvmq_unary_desc *d, float x, bool alone) {
  const float root = (float)sqrt((double)x), low = (float)functions[d->function].low, high = (float)functions[d->function].high;
  switch (d->function) {
    case TVMQ_FUNCTION_EXP:
      return expf(x);
    case TVMQ_FUNCTION_LOG:
      return logf(x);
    case TVMQ_FUNCTION_ELU:
      return elu(x);
    case TVMQ_FUNCTION_LOGISTIC:
      return x > 16.619047164916992188f ? 1 : x < -9 ? expf(x) : logistic(x);
    case TVMQ_FUNCTION_TANH:
      return tanhf(x);
    case TVMQ_FUNCTION_GELU:
    case TVMQ_FUNCTION_GELU_TANH:
      return oracle_gelu(x, d->function == TVMQ_FUNCTION_GELU_TANH, d->float32 != TVMQ_FLOAT32_LIBRARY, alone);
    case TVMQ_FUNCTION_HARD_SWISH:
      return x * fminf(6, fmaxf(0, x + 3)) / 6;
    case TVMQ_FUNCTION_LEAKY_RELU:
      return x > 0 ? x : x * d->alpha;
    case TVMQ_FUNCTION_RSQRT:
      return 1 / root;
    case TVMQ_FUNCTION_SQRT:
      return root;
    case TVMQ_FUNCTION_SQUARE:
      return x * x;
    case TVMQ_FUNCTION_NEG:
      return -x;
    case TVMQ_FUNCTION_ABS:
      return fabsf(x);
    default:
      return x < low ? low : x > high ? high : x;
  }
}

static void compute_floats(const struct tvmq_unary_desc *d, const float *in, float *out) {
  for (size_t i = 0; i < d->n; i++) out[i] = float_of(d, in[i], i >= d->n / 4 * 4);
}

static struct tvmq_quant random_quant(struct fuzz_bytes *b, enum tvmq_type type) {
  const struct tvmq_range range = tvmq_type_range(type);
  struct tvmq_quant quant = {.scale = ldexpf((float)check_between(1 << 23, (1 << 24) - 1), -24 - (int)fuzz_pick(b, 0, 9))};
  if (fuzz_pick(b, 0, 3) == 0) quant.scale = ldexpf(1, (int)fuzz_pick(b, -15, 4));
  if (fuzz_pick(b, 0, 7) == 0) quant.scale = ldexpf(quant.scale, (int)fuzz_pick(b, -30, 30));
  if (type != TVMQ_TYPE_S16) quant.zero_point = (int32_t)check_between(range.min, range.max);
  static const float odd_scales[] = {0, -1, INFINITY, NAN, 0x1p-149f, 0x1p127f};
  if (fuzz_pick(b, 0, 15) == 0) quant.scale = odd_scales[fuzz_pick(b, 0, 5)];
  if (fuzz_pick(b, 0, 31) == 0) quant.zero_point = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  return quant;
}

void fuzz_unary(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(float) uint8_t expected[FUZZ_MAX_BYTES];
  static const enum tvmq_type types[] = {TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16, TVMQ_TYPE_F32};
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_unary_desc d = {
      .function = (enum tvmq_function)fuzz_pick(b, TVMQ_FUNCTION_LOGISTIC, TVMQ_FUNCTION_NEG),
      .in_type = fuzz_pick(b, 0, 7) ? types[fuzz_pick(b, 0, 3)] : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4),
      .n = (size_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 7) ? 600 : 40000),
  };
  d.out_type = fuzz_pick(b, 0, 15) ? d.in_type : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  d.in = random_quant(b, d.in_type);
  d.out = random_quant(b, d.out_type);
  const bool sigmoid = d.function == TVMQ_FUNCTION_LOGISTIC || (d.function == TVMQ_FUNCTION_TANH && d.in_type == TVMQ_TYPE_S16);
  if (sigmoid && fuzz_pick(b, 0, 15)) d.out.scale = d.in_type == TVMQ_TYPE_S16 ? 1.0f / 32768 : 1.0f / 256;
  if (d.function == TVMQ_FUNCTION_RSQRT && fuzz_pick(b, 0, 15)) d.in.zero_point = tvmq_type_range(d.in_type).min;
  if (tvmq_function_is_gelu(d.function) && d.in_type == TVMQ_TYPE_F32) d.float32 = (enum tvmq_float32)fuzz_pick(b, TVMQ_FLOAT32_UNKNOWN, TVMQ_FLOAT32_FUSED);
  if (d.function == TVMQ_FUNCTION_RELU && d.in_type == TVMQ_TYPE_F32) d.floats = (enum tvmq_hybrid)fuzz_pick(b, TVMQ_HYBRID_UNKNOWN, TVMQ_HYBRID_PORTABLE);
  if (d.function == TVMQ_FUNCTION_LEAKY_RELU) d.alpha = (float)fuzz_pick(b, -1, 30) / 10;

  char text[300];
  snprintf(text, sizeof text, "%s, type %d to %d, n %zu, scales %a -> %a, zero points %d -> %d, alpha %a, float32 %d, rounding %d, cpu %#x",
           functions[d.function].name, d.in_type, d.out_type, d.n, (double)d.in.scale, (double)d.out.scale, d.in.zero_point, d.out.zero_point, (double)d.alpha,
           d.float32, env->rounding, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.unary = d};
  const char *why = fuzz_claim(&tvmq_operator_unary, &desc);
  if (why) return;
  const size_t bytes = d.n * tvmq_type_bytes(d.in_type);
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, bytes, side);
  check_random_bytes(in.write, bytes);
  if (d.in_type == TVMQ_TYPE_F32) {
    fuzz_numbers(in.write, d.n);
    compute_floats(&d, in.read, (float *)expected);
  } else {
    compute(&d, env->rounding, in.read, expected);
  }
  struct tvmq_op *op = NULL;
  const struct tvmq_implementation *op_class = tvmq_op_computed_by(&tvmq_op_unary, &desc, env);
  fuzz_run(op_class, &op, &desc, env, &in.read, expected, bytes, side);
  tvmq_op_release(op_class, op);
}

void fuzz_cast(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static uint8_t expected[FUZZ_MAX_BYTES];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_cast_desc d = {
      .in_type = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4),
      .out_type = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4),
      .n = (size_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 7) ? 600 : 40000),
  };
  char text[100];
  snprintf(text, sizeof text, "cast, type %d to %d, n %zu", d.in_type, d.out_type, d.n);
  fuzz_about(text);
  const union tvmq_desc desc = {.cast = d};
  const char *why = fuzz_claim(&tvmq_operator_cast, &desc);
  if (why) return;
  const size_t in_bytes = tvmq_type_bytes(d.in_type), out_bytes = tvmq_type_bytes(d.out_type);
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, d.n * in_bytes, side);
  check_random_bytes(in.write, d.n * in_bytes);
  for (size_t i = 0; i < d.n; i++) {
    int64_t value = in_bytes < 8 ? oracle_load(d.in_type, in.read, i) : 0;
    if (in_bytes == 8) memcpy(&value, (const uint8_t *)in.read + i * 8, 8);
    const float real = (float)value;
    memcpy(expected + i * out_bytes, d.out_type == TVMQ_TYPE_F32 ? (const void *)&real : &value, out_bytes);
  }
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_cast, &op, &desc, env, &in.read, expected, d.n * out_bytes, side);
  tvmq_op_release(&tvmq_op_cast, op);
}

void fuzz_dequantize(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static float expected[FUZZ_MAX_BYTES / sizeof(float)];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_dequantize_desc d = {
      .in_type = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4),
      .out_type = fuzz_pick(b, 0, 15) ? TVMQ_TYPE_F32 : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4),
      .n = (size_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 7) ? 600 : 40000),
      .constant = fuzz_pick(b, 0, 15) == 0,
  };
  d.in = random_quant(b, d.in_type);
  char text[200];
  snprintf(text, sizeof text, "dequantize, type %d to %d, n %zu, scale %a, zero point %d", d.in_type, d.out_type, d.n, (double)d.in.scale, d.in.zero_point);
  fuzz_about(text);
  const union tvmq_desc desc = {.dequantize = d};
  const char *why = fuzz_claim(&tvmq_operator_dequantize, &desc);
  if (why) return;
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, d.n * tvmq_type_bytes(d.in_type), side);
  check_random_bytes(in.write, d.n * tvmq_type_bytes(d.in_type));
  for (size_t i = 0; i < d.n; i++) expected[i] = (float)((double)d.in.scale * (oracle_load(d.in_type, in.read, i) - d.in.zero_point));
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_dequantize, &op, &desc, env, &in.read, expected, d.n * sizeof(float), side);
  tvmq_op_release(&tvmq_op_dequantize, op);
}
