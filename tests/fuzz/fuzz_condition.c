// Comparisons, operations on conditions, and selections, of one shape or broadcast.
#include <stdio.h>

#include "arithmetic/stage.h"
#include "fuzz.h"
#include "operators/ranks.h"
#include "support/oracle.h"
#include "support/random.h"

enum { INPUTS = TVMQ_BROADCAST_INPUTS };

// Shapes of one rank; of one shape, or broadcast along some dimensions.
static void random_shapes(struct fuzz_bytes *b, int n_in, struct tvmq_shape shapes[INPUTS]) {
  const bool broadcast = fuzz_pick(b, 0, 1);
  const int rank = broadcast ? (int)fuzz_pick(b, 1, 5) : 1;
  for (int i = 0; i < n_in; i++) shapes[i] = (struct tvmq_shape){.rank = rank};
  for (int d = 0; d < rank; d++) {
    const int size = (int)fuzz_pick(b, 0, d < rank - 1 ? 5 : fuzz_pick(b, 0, 7) ? 200 : 20000);
    const int64_t repeats = broadcast ? fuzz_pick(b, 0, 7) : 0;
    for (int i = 0; i < n_in; i++) shapes[i].dims[d] = repeats >> i & 1 && repeats != 7 ? 1 : size;
  }
}

static size_t elements(const struct tvmq_shape *shape) {
  size_t n = 1;
  for (int d = 0; d < shape->rank; d++) n *= (size_t)shape->dims[d];
  return n;
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

static int64_t load(enum tvmq_type type, const void *tensor, size_t i) {
  if (type == TVMQ_TYPE_S64) return ((const int64_t *)tensor)[i];
  if (type == TVMQ_TYPE_BOOL) return ((const uint8_t *)tensor)[i];
  return oracle_load(type, tensor, i);
}

// -1, 0, 1: less, equal, greater; 2: no order.
static int order(const struct tvmq_condition_desc *d, enum tvmq_rounding rounding, const void *const in[], const size_t at[]) {
  if (d->type == TVMQ_TYPE_F32) {
    const float a = ((const float *)in[0])[at[0]], b = ((const float *)in[1])[at[1]];
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
  }
  int64_t values[2];
  for (int i = 0; i < 2; i++) {
    values[i] = load(d->type, in[i], at[i]);
    if (d->type != TVMQ_TYPE_S8 && d->type != TVMQ_TYPE_U8) continue;
    const struct tvmq_scale scale = tvmq_comparison_scale(d->in[i].scale);
    values[i] = tvmq_rescale(rounding, ((int32_t)values[i] - d->in[i].zero_point) * 256, scale.multiplier, scale.shift);
  }
  return values[0] < values[1] ? -1 : values[0] > values[1];
}

static bool holds(enum tvmq_condition condition, int how) {
  switch (condition) {
    case TVMQ_CONDITION_EQUAL:
      return how == 0;
    case TVMQ_CONDITION_NOT_EQUAL:
      return how != 0;
    case TVMQ_CONDITION_GREATER:
      return how == 1;
    case TVMQ_CONDITION_GREATER_EQUAL:
      return how == 1 || how == 0;
    case TVMQ_CONDITION_LESS:
      return how == -1;
    default:
      return how == -1 || how == 0;
  }
}

static bool joined(enum tvmq_condition condition, const void *const in[], const size_t at[]) {
  const bool a = ((const uint8_t *)in[0])[at[0]] != 0, b = condition != TVMQ_CONDITION_NOT && ((const uint8_t *)in[1])[at[1]] != 0;
  return condition == TVMQ_CONDITION_NOT ? !a : condition == TVMQ_CONDITION_AND ? a && b : a || b;
}

static void compute(const struct tvmq_condition_desc *d, const struct tvmq_shape shapes[], const struct tvmq_shape *out_shape, enum tvmq_rounding rounding,
                    const void *const in[], uint8_t *out) {
  const size_t bytes = tvmq_type_bytes(d->type);
  for (size_t i = 0; i < d->n; i++) {
    size_t at[INPUTS] = {0};
    for (int k = 0; k < tvmq_condition_inputs(d->condition); k++) at[k] = element_at(&shapes[k], out_shape, i);
    if (d->condition == TVMQ_CONDITION_SELECT) {
      const int which = ((const uint8_t *)in[0])[at[0]] != 0 ? 1 : 2;
      for (size_t k = 0; k < bytes; k++) out[i * bytes + k] = ((const uint8_t *)in[which])[at[which] * bytes + k];
    } else {
      out[i] = tvmq_condition_compares(d->condition) ? holds(d->condition, order(d, rounding, in, at)) : joined(d->condition, in, at);
    }
  }
}

static struct tvmq_quant random_quant(struct fuzz_bytes *b, enum tvmq_type type) {
  static const float odd[] = {0, -1, 1, 0.99999997f, 1e-12f, 0x1p-149f, 3e38f};
  const struct tvmq_range range = tvmq_type_range(type);
  struct tvmq_quant quant = {fuzz_pick(b, 0, 7) ? (float)(1 + check_below(1000)) / 1001 : odd[fuzz_pick(b, 0, 6)], 0};
  if (type == TVMQ_TYPE_S8 || type == TVMQ_TYPE_U8) quant.zero_point = (int32_t)check_between(range.min, range.max);
  if (fuzz_pick(b, 0, 31) == 0) quant.zero_point = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  return quant;
}

void fuzz_condition(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(8) uint8_t expected[FUZZ_MAX_BYTES];
  static const int tensors[INPUTS] = {FUZZ_IN, FUZZ_IN_2, FUZZ_FILTER};
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_condition_desc d = {
      .condition = (enum tvmq_condition)fuzz_pick(b, TVMQ_CONDITION_EQUAL, TVMQ_CONDITION_SELECT),
      .type = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_BOOL),
  };
  const bool joins = !tvmq_condition_compares(d.condition) && d.condition != TVMQ_CONDITION_SELECT;
  if (joins && fuzz_pick(b, 0, 7)) d.type = TVMQ_TYPE_BOOL;
  const int n_in = tvmq_condition_inputs(d.condition);
  struct tvmq_shape shapes[INPUTS] = {0}, out_shape = {0};
  random_shapes(b, n_in, shapes);
  tvmq_broadcast_shapes(shapes, n_in, &out_shape, &d.broadcast);
  d.n = elements(&out_shape);
  d.rank = d.broadcast.rank > 0 ? out_shape.rank : 0;
  for (int i = 0; i < 2; i++) d.in[i] = random_quant(b, d.type);
  if (fuzz_pick(b, 0, 1)) d.in[1] = d.in[0];
  char text[200];
  snprintf(text, sizeof text, "condition %d, type %d, n %zu, rank %d, scales %a, %a, zero points %d, %d, cpu %#x", d.condition, d.type, d.n, d.rank,
           (double)d.in[0].scale, (double)d.in[1].scale, d.in[0].zero_point, d.in[1].zero_point, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.condition = d};
  if (fuzz_claim(&tvmq_operator_condition, &desc)) return;
  const size_t bytes = tvmq_type_bytes(d.type), out_bytes = d.n * (d.condition == TVMQ_CONDITION_SELECT ? bytes : 1);
  if (d.n * bytes > FUZZ_MAX_BYTES) return;
  const void *in[INPUTS] = {0};
  for (int i = 0; i < n_in; i++) {
    const bool selects = d.condition == TVMQ_CONDITION_SELECT && i == 0;
    const size_t n = elements(&shapes[i]);
    const struct fuzz_tensor tensor = fuzz_tensor(tensors[i], n * (selects ? 1 : bytes), side);
    check_random_bytes(tensor.write, n * (selects ? 1 : bytes));
    for (size_t k = 0; k < n && (selects || d.type == TVMQ_TYPE_BOOL); k++) ((uint8_t *)tensor.write)[k] %= 2;
    if (d.type == TVMQ_TYPE_F32 && !selects) fuzz_numbers(tensor.write, n);
    in[i] = tensor.read;
  }
  compute(&d, shapes, &out_shape, env->rounding, in, expected);
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_condition, &op, &desc, env, in, expected, out_bytes, side);
  tvmq_op_release(&tvmq_op_condition, op);
}
