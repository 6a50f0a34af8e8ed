// Operations on two tensors.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "fuzz.h"
#include "operators/quant_params.h"
#include "support/oracle.h"
#include "support/random.h"

static int32_t load(enum tvmq_type type, const void *tensor, size_t i) {
  if (type == TVMQ_TYPE_S16) return ((const int16_t *)tensor)[i];
  return type == TVMQ_TYPE_U8 ? ((const uint8_t *)tensor)[i] : ((const int8_t *)tensor)[i];
}

static struct tvmq_scale scale_of(double real) {
  struct tvmq_scale scale;
  oracle_fixed_point(real, &scale.multiplier, &scale.shift);
  return scale;
}

static int32_t rescaled(enum tvmq_rounding rounding, int32_t x, struct tvmq_scale scale) {
  return oracle_round_s32(rounding, x, scale.multiplier, scale.shift);
}

// The element of an input that element i of the output is computed from.
static size_t element_at(const struct tvmq_shape *in, const struct tvmq_shape *out, size_t i) {
  size_t element = 0, stride = 1;
  for (int d = out->rank - 1; d >= 0; d--) {
    if (in->dims[d] > 1) element += i % (size_t)out->dims[d] * stride;
    stride *= (size_t)in->dims[d];
    i /= (size_t)out->dims[d];
  }
  return element;
}

// The result of each operation, for elements less their zero points.
static int32_t sum_of(const struct tvmq_binary_desc *d, enum tvmq_rounding rounding, int32_t a, int32_t b) {
  const int32_t unit = 1 << (d->type == TVMQ_TYPE_S16 ? 15 : 20), values[2] = {a, b};
  const double common = 2 * fmax((double)d->in[0].scale, (double)d->in[1].scale);
  int32_t terms[2];
  for (int j = 0; j < 2; j++) terms[j] = rescaled(rounding, values[j] * unit, scale_of((double)d->in[j].scale / common));
  const int32_t both = d->operation == TVMQ_OPERATION_SUB ? terms[0] - terms[1] : terms[0] + terms[1];
  return rescaled(rounding, both, scale_of(common / ((double)unit * (double)d->out.scale)));
}

static int32_t product_of(const struct tvmq_binary_desc *d, enum tvmq_rounding rounding, int32_t a, int32_t b) {
  const float both = d->in[0].scale * d->in[1].scale / d->out.scale;
  return rescaled(rounding, a * b, scale_of((double)both));
}

static int32_t prelu_of(const struct tvmq_binary_desc *d, enum tvmq_rounding rounding, int32_t a, int32_t b) {
  const float alone = d->in[0].scale / d->out.scale;
  return a < 0 ? product_of(d, rounding, a, b) : rescaled(rounding, a, scale_of((double)alone));
}

// Both elements at twice the greater scale, with seven bits more.
static int32_t square_of(const struct tvmq_binary_desc *d, enum tvmq_rounding rounding, int32_t a, int32_t b) {
  const int32_t unit = 1 << 7, values[2] = {a, b};
  const double common = 2 * fmax((double)d->in[0].scale, (double)d->in[1].scale);
  int32_t terms[2];
  for (int j = 0; j < 2; j++) terms[j] = rescaled(rounding, values[j] * unit, scale_of((double)d->in[j].scale / common));
  const int32_t difference = terms[0] - terms[1];
  return rescaled(rounding, difference * difference, scale_of(common * common / ((double)(unit * unit) * (double)d->out.scale)));
}

static const struct {
  const char *name;
  int32_t (*value)(const struct tvmq_binary_desc *d, enum tvmq_rounding rounding, int32_t a, int32_t b);  // NULL: the greater or the lesser of the elements
} operations[] = {
    [TVMQ_OPERATION_ADD] = {"add", sum_of},       [TVMQ_OPERATION_SUB] = {"sub", sum_of},
    [TVMQ_OPERATION_MUL] = {"mul", product_of},   [TVMQ_OPERATION_DIV] = {"div", NULL},
    [TVMQ_OPERATION_MAXIMUM] = {"maximum", NULL}, [TVMQ_OPERATION_MINIMUM] = {"minimum", NULL},
    [TVMQ_OPERATION_PRELU] = {"prelu", prelu_of}, [TVMQ_OPERATION_SQUARED_DIFFERENCE] = {"squared difference", square_of},
};

// Integers that graphs compute shapes with wrap, as they do in the reference.
static void compute_integer(const struct tvmq_binary_desc *d, const void *a, const void *b, void *out) {
  const size_t bytes = tvmq_type_bytes(d->type);
  uint64_t x[2] = {0};
  memcpy(&x[0], a, bytes);  // the low bytes, which the result's depend on alone
  memcpy(&x[1], b, bytes);
  const uint64_t value = d->operation == TVMQ_OPERATION_MUL ? x[0] * x[1] : d->operation == TVMQ_OPERATION_SUB ? x[0] - x[1] : x[0] + x[1];
  memcpy(out, &value, bytes);
}

static float float_of(enum tvmq_operation operation, float x, float y) {
  switch (operation) {
    case TVMQ_OPERATION_ADD:
      return x + y;
    case TVMQ_OPERATION_SUB:
      return x - y;
    case TVMQ_OPERATION_MUL:
      return x * y;
    case TVMQ_OPERATION_DIV:
      return x / y;
    case TVMQ_OPERATION_MAXIMUM:
      return isgreater(x, y) ? x : y;
    case TVMQ_OPERATION_MINIMUM:
      return isless(x, y) ? x : y;
    case TVMQ_OPERATION_PRELU:
      return isless(x, 0) ? x * y : x;
    case TVMQ_OPERATION_SQUARED_DIFFERENCE:
      return (x - y) * (x - y);
  }
  return NAN;
}

// Whether the operator has an activation, of which NONE cuts infinities off; the others are refused with one.
static bool cuts(enum tvmq_operation operation) { return operation <= TVMQ_OPERATION_DIV; }

static void compute_float(const struct tvmq_binary_desc *d, const void *a, const void *b, void *out) {
  float x[2];
  memcpy(&x[0], a, sizeof x[0]);
  memcpy(&x[1], b, sizeof x[1]);
  const float value = float_of(d->operation, x[0], x[1]), cut = cuts(d->operation) ? fuzz_cut(d->activation, value) : value;
  memcpy(out, &cut, sizeof cut);
}

static int32_t extremum(const struct tvmq_binary_desc *d, int32_t a, int32_t b) { return (d->operation == TVMQ_OPERATION_MAXIMUM) == (a > b) ? a : b; }

static void compute(const struct tvmq_binary_desc *d, const struct tvmq_shape shapes[2], const struct tvmq_shape *out_shape, enum tvmq_rounding rounding,
                    const void *const in[2], void *out) {
  const size_t bytes = tvmq_type_bytes(d->type);
  int32_t min, max;
  tvmq_activation_range(d->activation, d->type, d->out, &min, &max);
  for (size_t i = 0; bytes > 2 && i < d->n; i++) {
    const uint8_t *const a = in[0], *const b = in[1];
    (d->type == TVMQ_TYPE_F32 ? compute_float : compute_integer)(d, a + element_at(&shapes[0], out_shape, i) * bytes,
                                                                 b + element_at(&shapes[1], out_shape, i) * bytes, (uint8_t *)out + i * bytes);
  }
  for (size_t i = 0; bytes <= 2 && i < d->n; i++) {
    int32_t x[2], value;
    for (int j = 0; j < 2; j++) x[j] = load(d->type, in[j], element_at(&shapes[j], out_shape, i));
    if (operations[d->operation].value == NULL) {
      value = extremum(d, x[0], x[1]);
    } else {
      value = operations[d->operation].value(d, rounding, x[0] - d->in[0].zero_point, x[1] - d->in[1].zero_point);
      value = oracle_wrap((int64_t)value + d->out.zero_point);
      value = value < min ? min : value > max ? max : value;
    }
    memcpy((uint8_t *)out + i * bytes, &value, bytes);
  }
}

static struct tvmq_quant random_quant(struct fuzz_bytes *b, enum tvmq_type type) {
  const struct tvmq_range range = tvmq_type_range(type);
  struct tvmq_quant quant = {.scale = ldexpf((float)check_between(1 << 23, (1 << 24) - 1), -24 - (int)fuzz_pick(b, 0, 3))};
  if (fuzz_pick(b, 0, 3) == 0) quant.scale = ldexpf(quant.scale, (int)fuzz_pick(b, -30, 30));
  if (fuzz_pick(b, 0, 3) == 0) quant.scale = ldexpf(1, (int)fuzz_pick(b, -4, 4));
  if (type != TVMQ_TYPE_S16) quant.zero_point = (int32_t)check_between(range.min, range.max);
  static const float odd_scales[] = {0, -1, INFINITY, NAN, 0x1p-149f, 0x1p127f};
  if (fuzz_pick(b, 0, 15) == 0) quant.scale = odd_scales[fuzz_pick(b, 0, 5)];
  if (fuzz_pick(b, 0, 31) == 0) quant.zero_point = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  return quant;
}

// Shapes of one rank; of one shape, or broadcast along some dimensions.
static void random_shapes(struct fuzz_bytes *b, struct tvmq_shape shapes[2]) {
  const bool broadcast = fuzz_pick(b, 0, 1);
  const int rank = broadcast ? (int)fuzz_pick(b, 1, 4) : 1;
  for (int i = 0; i < 2; i++) shapes[i] = (struct tvmq_shape){.rank = rank};
  size_t lines = 1;
  for (int d = 0; d < rank; d++) {
    const size_t longest = tvmq_min(40000, FUZZ_MAX_BYTES / sizeof(int64_t) / lines);
    const int64_t largest = d < rank - 1 ? 5 : fuzz_pick(b, 0, 7) ? 200 : (int64_t)longest;
    const int size = (int)fuzz_pick(b, d < rank - 1, largest), repeated = broadcast ? (int)fuzz_pick(b, 0, 3) : 3;
    for (int i = 0; i < 2; i++) shapes[i].dims[d] = i == repeated ? 1 : size;
    lines *= (size_t)size;
  }
}

static size_t elements(const struct tvmq_shape *shape) {
  size_t n = 1;
  for (int d = 0; d < shape->rank; d++) n *= (size_t)shape->dims[d];
  return n;
}

void fuzz_binary(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static uint8_t expected[FUZZ_MAX_BYTES];
  static const enum tvmq_type types[] = {TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16};
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_binary_desc d = {
      .operation = (enum tvmq_operation)fuzz_pick(b, TVMQ_OPERATION_ADD, TVMQ_OPERATION_SQUARED_DIFFERENCE),
      .type = fuzz_pick(b, 0, 7) ? types[fuzz_pick(b, 0, 2)] : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4),
      .activation = (enum tvmq_activation)fuzz_pick(b, TVMQ_ACTIVATION_NONE, TVMQ_ACTIVATION_OTHER),
      .powers_of_two = fuzz_pick(b, 0, 1),
  };
  if ((d.operation == TVMQ_OPERATION_SQUARED_DIFFERENCE || (d.type == TVMQ_TYPE_F32 && !cuts(d.operation))) && fuzz_pick(b, 0, 7))
    d.activation = TVMQ_ACTIVATION_NONE;
  struct tvmq_shape shapes[2], out_shape = {0};
  random_shapes(b, shapes);
  const bool twice = fuzz_pick(b, 0, 7) == 0;
  if (twice) shapes[1] = shapes[0];
  tvmq_broadcast_shapes(shapes, 2, &out_shape, &d.broadcast);
  d.n = elements(&out_shape);
  for (int i = 0; i < 2; i++) d.in[i] = random_quant(b, d.type);
  d.out = random_quant(b, d.type);

  char text[300];
  snprintf(text, sizeof text, "%s, type %d, n %zu and %zu to %zu, scales %a, %a -> %a, zero points %d, %d -> %d, activation %d, twice %d, rounding %d, cpu %#x",
           operations[d.operation].name, d.type, elements(&shapes[0]), elements(&shapes[1]), d.n, (double)d.in[0].scale, (double)d.in[1].scale,
           (double)d.out.scale, d.in[0].zero_point, d.in[1].zero_point, d.out.zero_point, d.activation, twice, env->rounding, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.binary = d};
  const char *why = fuzz_claim(&tvmq_operator_binary, &desc);
  if (why) return;
  const size_t each = tvmq_type_bytes(d.type), bytes[2] = {elements(&shapes[0]) * each, elements(&shapes[1]) * each};
  const struct fuzz_tensor first = fuzz_tensor(FUZZ_IN, bytes[0], side), second = twice ? first : fuzz_tensor(FUZZ_FILTER, bytes[1], side);
  check_random_bytes(first.write, bytes[0]);
  if (!twice) check_random_bytes(second.write, bytes[1]);
  if (d.type == TVMQ_TYPE_F32) fuzz_numbers(first.write, bytes[0] / each);
  if (d.type == TVMQ_TYPE_F32 && !twice) fuzz_numbers(second.write, bytes[1] / each);
  const void *const in[2] = {first.read, second.read};
  compute(&d, shapes, &out_shape, env->rounding, in, expected);
  struct tvmq_op *op = NULL;
  const struct tvmq_implementation *const op_class = tvmq_op_computed_by(&tvmq_op_binary, &desc, env);
  fuzz_run(op_class, &op, &desc, env, in, expected, d.n * each, side);
  tvmq_op_release(op_class, op);
}
