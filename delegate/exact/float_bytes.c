#include "exact/float_bytes.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/memo.h"
#include "exact/proofs.h"

// The reference computes out = clamp(zero_point + round(f(v) * (1 / scale))) with v = in_scale * (x - in_zero_point),
// every step in float32. Every step except one call of the math library is correctly rounded, so its result is the same
// everywhere. Every step is also monotonic, because rounding is. So this file computes f step by step, in float32, from
// both ends of the interval that contains the call's result. If both ends give the same byte, all values between them
// do. If not, the byte comes from the reference's steps with the math library of the process, which the reference calls.
struct interval {
  float low, high;
};

enum { LIBRARY = 4 };  // largest error of a library function, in units in the last place

// Returns the float32 interval around an exact float64 result. An end that is not a float32 is rounded to a neighbour,
// because no float32 lies between the end and its neighbour.
static struct interval around(double real) {
  if (isinf(real)) return (struct interval){(float)real, (float)real};
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  bits &= UINT64_C(0x7ff) << 52;
  double power;  // the greatest power of two that is at most |real|
  memcpy(&power, &bits, sizeof power);
  const double off = real == 0 ? 0 : LIBRARY * (power > 0x1p-126 ? power * 0x1p-23 : 0x1p-149);
  return (struct interval){(float)(real - off), (float)(real + off)};
}

static struct interval logistic(float v) {
  const struct interval e = v == 0 ? (struct interval){1, 1} : around(exp(-(double)v));
  return (struct interval){1.0f / (1.0f + e.high), 1.0f / (1.0f + e.low)};
}

// No library returns values outside [-1, 1].
static struct interval hyperbolic_tangent(float v) {
  const struct interval t = around(tanh((double)v));
  return (struct interval){t.low < -1 ? -1 : t.low, t.high > 1 ? 1 : t.high};
}

static struct interval exponential(float v) { return v == 0 ? (struct interval){1, 1} : around(exp((double)v)); }

// Numbers that are not positive have no logarithm: the reference gives the least output, which here is that of negative infinity.
static struct interval logarithm(float v) { return v > 0 ? around(log((double)v)) : (struct interval){-INFINITY, -INFINITY}; }

static struct interval exponential_linear(float v) { return v < 0 ? around(expm1((double)v)) : (struct interval){v, v}; }

static struct interval times(float factor, struct interval x) {
  const float a = factor * x.low, b = factor * x.high;
  return a < b ? (struct interval){a, b} : (struct interval){b, a};
}

// 0.5 v erfc(-v / sqrt(2))
static struct interval gelu(float v) {
  const float argument = v * -0.70710678118654752440f;
  return times(0.5f * v, v == 0 ? (struct interval){1, 1} : around(erfc((double)argument)));
}

// 0.5 v (1 + tanh(sqrt(2 / pi) (v + 0.044715 v^3))). A compiler may contract the argument's sum to a fused
// multiply-add.
static struct interval gelu_tanh(float v) {
  volatile const float square = 0.044715f * v * v;
  volatile const float cubic = square * v;
  const struct interval plain = hyperbolic_tangent(0.79788456080286535588f * (v + cubic));
  const struct interval contracted = hyperbolic_tangent(0.79788456080286535588f * fmaf(square, v, v));
  return times(0.5f * v, (struct interval){1 + fminf(plain.low, contracted.low), 1 + fmaxf(plain.high, contracted.high)});
}

static struct interval (*const functions[])(float v) = {
    [TVMQ_TABLE_LOGISTIC] = logistic,      [TVMQ_TABLE_TANH] = hyperbolic_tangent, [TVMQ_TABLE_GELU] = gelu,
    [TVMQ_TABLE_GELU_TANH] = gelu_tanh,    [TVMQ_TABLE_EXP] = exponential,         [TVMQ_TABLE_LOG] = logarithm,
    [TVMQ_TABLE_ELU] = exponential_linear,
};

// The reference's steps with the math library. fused: the compiler has contracted a sum with a product.
static float call_logistic(float v, bool fused) { return (void)fused, 1.0f / (1.0f + expf(-v)); }
static float call_hyperbolic_tangent(float v, bool fused) { return (void)fused, tanhf(v); }
static float call_exponential(float v, bool fused) { return (void)fused, expf(v); }
static float call_logarithm(float v, bool fused) { return (void)fused, v > 0 ? logf(v) : -INFINITY; }
static float call_exponential_linear(float v, bool fused) { return (void)fused, v < 0 ? expm1f(v) : v; }
static float call_gelu(float v, bool fused) { return (void)fused, 0.5f * v * erfcf(v * -0.70710678118654752440f); }
static float call_gelu_tanh(float v, bool fused) {
  volatile const float square = 0.044715f * v * v;
  volatile const float cubic = square * v;
  return 0.5f * v * (1 + tanhf(0.79788456080286535588f * (fused ? fmaf(square, v, v) : v + cubic)));
}

static float (*const calls[])(float v, bool fused) = {
    [TVMQ_TABLE_LOGISTIC] = call_logistic,      [TVMQ_TABLE_TANH] = call_hyperbolic_tangent, [TVMQ_TABLE_GELU] = call_gelu,
    [TVMQ_TABLE_GELU_TANH] = call_gelu_tanh,    [TVMQ_TABLE_EXP] = call_exponential,         [TVMQ_TABLE_LOG] = call_logarithm,
    [TVMQ_TABLE_ELU] = call_exponential_linear,
};

// Returns the result of round(), the sum and the clamp, without their calls of the library. `scaled` is within int32.
static int32_t byte_of(float scaled, struct tvmq_float_bytes out) {
  const struct tvmq_range range = tvmq_type_range(out.type);
  const int32_t rounded = (int32_t)((double)scaled + (scaled < 0 ? -0.5 : 0.5));
  return (int32_t)tvmq_min_s64(tvmq_max_s64((int64_t)rounded + out.zero_point, range.min), range.max);
}

static bool find_byte(struct interval value, float inverse, struct tvmq_float_bytes out, uint8_t *byte) {
  const struct interval scaled = times(inverse, value);
  if (scaled.high == -INFINITY) {
    *byte = (uint8_t)tvmq_type_range(out.type).min;
    return true;
  }
  if (!(scaled.low > -0x1p31f && scaled.high < 0x1p31f)) return false;
  const int32_t found = byte_of(scaled.low, out);
  *byte = (uint8_t)found;
  return byte_of(scaled.high, out) == found;
}

struct question {
  enum tvmq_table_function function;
  struct tvmq_float_bytes in, out;
};

// proven: the table holds for every library. If not, it is computed with this process's library and never kept, because
// another process may have another library.
struct answer {
  bool proven;
  uint8_t table[256];
};

TVMQ_MEMO(tables, struct question, struct answer, 1024);

static bool is_sound(const void *value) { return *(const uint8_t *)value <= 1; }

const struct tvmq_proofs tvmq_table_proofs = {"tables", &tables, is_sound};

static float argument(const struct question *q, int x) { return q->in.scale * (float)(tvmq_byte_value(q->in.type, (uint8_t)x) - q->in.zero_point); }

static void prove(const struct question *q, struct answer *answer) {
  const float inverse = 1.0f / q->out.scale;
  answer->proven = true;
  for (int x = 0; answer->proven && x < 256; x++) answer->proven = find_byte(functions[q->function](argument(q, x)), inverse, q->out, &answer->table[x]);
}

static bool call(const struct question *q, uint8_t table[256]) {
  const float inverse = 1.0f / q->out.scale;
  bool known = true;
  for (int x = 0; known && x < 256; x++) {
    const float plain = calls[q->function](argument(q, x), false), fused = calls[q->function](argument(q, x), true);
    known = find_byte((struct interval){plain, fused}, inverse, q->out, &table[x]);
  }
  return known;
}

enum tvmq_table_scope tvmq_float_table(enum tvmq_table_function function, struct tvmq_float_bytes in, struct tvmq_float_bytes out, uint8_t table[256]) {
  const struct question question = {function, in, out};
  _Static_assert(sizeof question == 28, "every byte of a key is set");
  struct answer answer = {0};
  if (!tvmq_memo_find(&tables, &question, &answer)) {
    prove(&question, &answer);
    tvmq_memo_keep(&tables, &question, &answer);
  }
  if (!answer.proven) return call(&question, table) ? TVMQ_TABLE_OF_THIS_LIBRARY : TVMQ_TABLE_UNKNOWN;
  memcpy(table, answer.table, sizeof answer.table);
  return TVMQ_TABLE_OF_ALL_LIBRARIES;
}
