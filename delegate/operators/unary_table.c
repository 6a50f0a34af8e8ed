#include "operators/unary_table.h"

#include <math.h>
#include <string.h>

#include "arithmetic/stage.h"
#include "exact/float_bytes.h"
#include "operators/quant_params.h"

// ---- float functions

static const struct {
  enum tvmq_function function;
  enum tvmq_table_function in_float;
} floats[] = {
    {TVMQ_FUNCTION_LOGISTIC, TVMQ_TABLE_LOGISTIC}, {TVMQ_FUNCTION_TANH, TVMQ_TABLE_TANH},
    {TVMQ_FUNCTION_GELU, TVMQ_TABLE_GELU},         {TVMQ_FUNCTION_GELU_TANH, TVMQ_TABLE_GELU_TANH},
    {TVMQ_FUNCTION_EXP, TVMQ_TABLE_EXP},           {TVMQ_FUNCTION_LOG, TVMQ_TABLE_LOG},
    {TVMQ_FUNCTION_ELU, TVMQ_TABLE_ELU},
};

// Sets *scope. Returns false if the function is none of these.
static bool float_table(const struct tvmq_unary_desc *desc, enum tvmq_table_scope *scope, uint8_t out[TVMQ_N_BYTES]) {
  const struct tvmq_float_bytes from = {desc->in_type, desc->in.scale, desc->in.zero_point};
  const struct tvmq_float_bytes to = {desc->out_type, desc->out.scale, desc->out.zero_point};
  for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
    if (floats[i].function != desc->function) continue;
    *scope = tvmq_float_table(floats[i].in_float, from, to, out);
    return true;
  }
  return false;
}

bool tvmq_float_table_is_stable(const struct tvmq_unary_desc *desc) {
  uint8_t table[TVMQ_N_BYTES];
  enum tvmq_table_scope scope;
  return !float_table(desc, &scope, table) || scope == TVMQ_TABLE_OF_ALL_LIBRARIES;
}

// ---- functions that rescale: linear on both sides of zero, clamped at both ends

static const struct {
  enum tvmq_function function;
  bool cut;
  float low, high;  // real bounds
} lines[] = {
    {TVMQ_FUNCTION_RELU, true, 0, INFINITY}, {TVMQ_FUNCTION_RELU6, true, 0, 6},       {TVMQ_FUNCTION_RELU_N1_TO_1, true, -1, 1},
    {TVMQ_FUNCTION_RELU_0_TO_1, true, 0, 1}, {TVMQ_FUNCTION_LEAKY_RELU, false, 0, 0}, {TVMQ_FUNCTION_ABS, true, -INFINITY, INFINITY},
};

bool tvmq_unary_line(const struct tvmq_unary_desc *desc, struct tvmq_unary_line *line) {
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    if (lines[i].function != desc->function) continue;
    const float slopes[2] = {desc->in.scale / desc->out.scale, desc->in.scale * (lines[i].cut ? 1 : desc->alpha) / desc->out.scale};
    for (int j = 0; j < 2; j++) tvmq_quantize_multiplier((double)slopes[j], &line->scale[j].multiplier, &line->scale[j].shift);
    const struct tvmq_range range =
        lines[i].cut ? tvmq_quantized_range(lines[i].low, lines[i].high, desc->out_type, desc->out) : tvmq_type_range(desc->out_type);
    line->sign = desc->function == TVMQ_FUNCTION_ABS ? -1 : 1;
    line->min = range.min;
    line->max = range.max;
    return true;
  }
  return false;
}

static void line_table(const struct tvmq_unary_desc *desc, const struct tvmq_unary_line *line, enum tvmq_rounding rounding, uint8_t out[TVMQ_N_BYTES]) {
  for (int x = 0; x < TVMQ_N_BYTES; x++) {
    const int32_t value = tvmq_byte_value(desc->in_type, (uint8_t)x) - desc->in.zero_point;
    const struct tvmq_scale *scale = &line->scale[value < 0];
    const int32_t rectified = value < 0 ? line->sign * value : value;
    out[x] = (uint8_t)tvmq_clamp(tvmq_add_wrap(tvmq_rescale(rounding, rectified, scale->multiplier, scale->shift), desc->out.zero_point), line->min, line->max);
  }
}

// ---- HARD_SWISH: x * relu6(x + 3) / 6 in 16 bits

struct hard_swish {
  struct tvmq_scale out, gate;  // 16-bit multipliers
};

static int32_t to_int16(int32_t x) { return tvmq_clamp(x, INT16_MIN, INT16_MAX); }

// Returns a * b / 2^15 rounded, ties up. a * b is never (-2^15)^2.
static int32_t high_multiply(int32_t a, int32_t b) { return (a * b + (1 << 14)) >> 15; }

// Returns x / 2^shift rounded, ties away from zero.
static int32_t divide(int32_t x, int32_t shift) {
  const int32_t half = (1 << shift) >> 1;
  return shift == 0 ? x : (x + half - (x < 0)) >> shift;
}

static int32_t reduced(int32_t multiplier) { return multiplier >= INT32_MAX - (1 << 15) ? INT16_MAX : (multiplier + (1 << 15)) >> 16; }

// Returns relu6(x + 3) / 6, the gate's opening from 0 to 1, in 15 bits.
static int32_t gate_at(const struct hard_swish *h, int32_t x) {
  const int32_t left = h->gate.shift > 0 ? h->gate.shift : 0;
  if (left > 0) x = to_int16(x * (1 << (left - 1)));
  x = high_multiply(x, h->gate.multiplier);
  if (left > 0) x = to_int16(2 * x);
  if (h->gate.shift < 0) x = divide(x, -h->gate.shift);
  return (x + (1 << 15)) >> 1;
}

// Converts the gate's scale. It is a quotient with a constant divisor, which unsafe optimizations turn into a product.
static struct tvmq_scale gate_scale(float quotient) {
  struct tvmq_scale scale;
  tvmq_quantize_multiplier((double)quotient, &scale.multiplier, &scale.shift);
  scale.multiplier = reduced(scale.multiplier);
  return scale;
}

bool tvmq_hard_swish_is_stable(const struct tvmq_unary_desc *desc) {
  const float fine = desc->in.scale * (1.0f / 128), gate_unit = 3.0f / 32768;
  const struct tvmq_scale divided = gate_scale(fine / gate_unit), multiplied = gate_scale(fine * (1 / gate_unit));
  return divided.multiplier == multiplied.multiplier && divided.shift == multiplied.shift;
}

static const char *hard_swish_table(const struct tvmq_unary_desc *desc, uint8_t out[TVMQ_N_BYTES]) {
  enum { MOST_SHIFT = 14 };  // of 16 bits; with larger shifts the output is constant, or jumps at zero
  const float fine = desc->in.scale * (1.0f / 128), gate_unit = 3.0f / 32768;
  struct hard_swish h;
  if (isinf(fine / gate_unit)) return "scales are out of HARD_SWISH's range";  // infinity has no multiplier
  tvmq_quantize_multiplier((double)(fine / desc->out.scale), &h.out.multiplier, &h.out.shift);
  h.gate = gate_scale(fine / gate_unit);
  if (h.out.shift > 0) return "input scale / output scale is too large";
  if (h.out.shift < -MOST_SHIFT || h.gate.shift < -MOST_SHIFT || h.gate.shift > MOST_SHIFT) return "scales are out of HARD_SWISH's range";
  h.out.multiplier = reduced(h.out.multiplier);
  const struct tvmq_range range = tvmq_type_range(desc->out_type);
  for (int i = 0; i < TVMQ_N_BYTES; i++) {
    const int32_t x = (tvmq_byte_value(desc->in_type, (uint8_t)i) - desc->in.zero_point) * (1 << 7);
    const int32_t product = gate_at(&h, x) * high_multiply(x, h.out.multiplier) / (1 << 15);
    const int16_t value = (int16_t)(divide(product, -h.out.shift) + desc->out.zero_point);
    out[i] = (uint8_t)tvmq_clamp(value, range.min, range.max);
  }
  return NULL;
}

// ---- RSQRT: 1 / sqrt(x) in fixed point, rescaled

enum { ROOT_BITS = 20 };  // fractional bits

// Returns a * b / 2^31 rounded, ties up. Never saturates.
static int32_t root_multiply(int32_t a, int32_t b) { return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31); }

// Returns 2^20 / sqrt(x) for x from 1 to 255, as five steps of Newton's method in 32 bits compute it. The result is 1
// below the nearest integer for x = 2, 8 and 131. The method computes with x * 4^pairs / 2^29, in [1/4, 1), and with 28
// fractional bits.
static int32_t inverse_root(enum tvmq_rounding rounding, int32_t x) {
  if (x == 1) return 1 << ROOT_BITS;
  enum { ONE = 1 << 28, THREE_HALVES = ONE + ONE / 2, HALF_ROOT_OF_2 = 1518500250 };  // the last in Q31
  const int pairs = (__builtin_clz((uint32_t)x) - 1) / 2 - 1;
  const int32_t half = x << (2 * pairs) >> 2;
  int32_t y = ONE;
  for (int i = 0; i < 5; i++) {
    const int32_t cube = root_multiply(root_multiply(y, y), y) * (1 << 6);
    y = (root_multiply(THREE_HALVES, y) - root_multiply(half, cube)) * (1 << 3);
  }
  return tvmq_rescale(rounding, 1, root_multiply(y, HALF_ROOT_OF_2), pairs - 11 + ROOT_BITS);
}

static struct tvmq_scale rsqrt_scale(double real) {
  struct tvmq_scale scale;
  tvmq_quantize_multiplier(real, &scale.multiplier, &scale.shift);
  return scale;
}

// Returns the factor of RSQRT. The float64 root, rounded to float32, equals the float32 root. The product is float32.
static double rsqrt_real(const struct tvmq_unary_desc *desc) { return 1 / (double)((float)sqrt((double)desc->in.scale) * desc->out.scale); }

static const char *rsqrt_table(const struct tvmq_unary_desc *desc, enum tvmq_rounding rounding, double real, uint8_t out[TVMQ_N_BYTES]) {
  const struct tvmq_scale scale = rsqrt_scale(real);
  const struct tvmq_range range = tvmq_type_range(desc->out_type);
  if (scale.shift > 30 || scale.shift < ROOT_BITS - 31) return "scales are out of RSQRT's range";
  for (int i = 0; i < TVMQ_N_BYTES; i++) {
    const int32_t x = tvmq_byte_value(desc->in_type, (uint8_t)i) - desc->in.zero_point;
    const int32_t root = x > 0 ? inverse_root(rounding, x) : 0;
    const int32_t value = tvmq_rescale(rounding, root, scale.multiplier, scale.shift - ROOT_BITS);
    out[i] = (uint8_t)(x > 0 ? tvmq_clamp(tvmq_add_wrap(value, desc->out.zero_point), range.min, range.max) : range.max);
  }
  return NULL;
}

bool tvmq_rsqrt_is_stable(const struct tvmq_unary_desc *desc) {
  uint8_t low[TVMQ_N_BYTES], high[TVMQ_N_BYTES];
  const double real = rsqrt_real(desc), off = 0x1p-23;  // the error of two float32 roundings
  return rsqrt_table(desc, TVMQ_ROUNDING_REFERENCE, real * (1 - off), low) == NULL &&
         rsqrt_table(desc, TVMQ_ROUNDING_REFERENCE, real * (1 + off), high) == NULL && memcmp(low, high, sizeof low) == 0;
}

const char *tvmq_unary_table(const struct tvmq_unary_desc *desc, enum tvmq_rounding rounding, uint8_t out[TVMQ_N_BYTES]) {
  enum tvmq_table_scope scope;
  if (float_table(desc, &scope, out)) return scope != TVMQ_TABLE_UNKNOWN ? NULL : "a result exceeds int32, or depends on how the runtime was compiled";
  if (desc->function == TVMQ_FUNCTION_RSQRT) return rsqrt_table(desc, rounding, rsqrt_real(desc), out);
  struct tvmq_unary_line line;
  if (!tvmq_unary_line(desc, &line)) return hard_swish_table(desc, out);
  line_table(desc, &line, rounding, out);
  return NULL;
}

void tvmq_rescale_bytes(const struct tvmq_quantize_desc *d, enum tvmq_rounding rounding, const uint8_t in[TVMQ_N_BYTES], uint8_t out[TVMQ_N_BYTES]) {
  struct tvmq_scale scale;
  tvmq_quantize_multiplier((double)d->in.scale / (double)d->out.scale, &scale.multiplier, &scale.shift);
  const struct tvmq_range range = tvmq_type_range(d->out_type);
  for (int x = 0; x < TVMQ_N_BYTES; x++) {
    const int32_t value = tvmq_sub_wrap(tvmq_byte_value(d->in_type, in[x]), d->in.zero_point);
    const int32_t rescaled = tvmq_add_wrap(tvmq_rescale(rounding, value, scale.multiplier, scale.shift), d->out.zero_point);
    out[x] = (uint8_t)tvmq_clamp(rescaled, range.min, range.max);
  }
}
