// MEAN, SUM, REDUCE_MAX and REDUCE_MIN over any dimensions.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "support/oracle.h"
#include "support/random.h"

static int32_t product(const struct tvmq_reduce_desc *d, int first) {
  int32_t n = 1;
  for (int i = first; i < d->n_dims; i += 2) n *= d->dims[i];
  return n;
}

// The multiplier of the scales over n, shifted left before by the whole of log2(n), as far as a shift to the right by 31 remains.
static void scale_of(const struct tvmq_reduce_desc *d, int32_t *multiplier, int32_t *shift) {
  const int32_t n = d->reduction == TVMQ_REDUCTION_MEAN ? product(d, 1) : 1;
  oracle_fixed_point((double)d->in.scale / (double)d->out.scale, multiplier, shift);
  const int32_t left = (int32_t)fmin(floor(log2(n)), 31 + *shift);
  *multiplier = (int32_t)(*multiplier * (INT64_C(1) << left) / n);
  *shift -= left;
}

// Element i of the input belongs to this output.
static size_t output_of(const struct tvmq_reduce_desc *d, size_t i) {
  size_t output = 0, scale = 1;
  for (int dim = d->n_dims - 1; dim >= 0; dim--) {
    const size_t size = (size_t)d->dims[dim], at = i % size;
    i /= size;
    if (dim % 2 != 0) continue;
    output += at * scale;
    scale *= size;
  }
  return output;
}

static void reduce(const struct tvmq_reduce_desc *d, enum tvmq_rounding rounding, const void *in, void *out) {
  const struct tvmq_range range = tvmq_type_range(d->out_type);
  const size_t n_out = (size_t)product(d, 0), n = n_out * (size_t)product(d, 1);
  int32_t multiplier, shift;
  scale_of(d, &multiplier, &shift);
  const bool extreme = d->reduction == TVMQ_REDUCTION_MAX || d->reduction == TVMQ_REDUCTION_MIN;
  int32_t *acc = malloc(n_out * sizeof *acc);
  for (size_t i = 0; i < n_out; i++) acc[i] = !extreme ? 0 : d->reduction == TVMQ_REDUCTION_MAX ? range.min : range.max;
  for (size_t i = 0; i < n; i++) {
    const int32_t x = oracle_load(d->in_type, in, i);
    int32_t *const to = &acc[output_of(d, i)];
    if (!extreme) *to += x - d->in.zero_point;
    if (extreme && (d->reduction == TVMQ_REDUCTION_MAX ? x > *to : x < *to)) *to = x;
  }
  for (size_t i = 0; i < n_out; i++) {
    int32_t value = acc[i];
    if (!extreme) value = oracle_wrap((int64_t)oracle_round_s32(rounding, value, multiplier, shift) + d->out.zero_point);
    value = value < range.min ? range.min : value > range.max ? range.max : value;
    if (d->out_type == TVMQ_TYPE_S16) {
      ((int16_t *)out)[i] = (int16_t)value;
    } else {
      ((uint8_t *)out)[i] = (uint8_t)value;
    }
  }
  free(acc);
}

// One after the other, as they lie.
static void mean_of_floats(const struct tvmq_reduce_desc *d, const float *in, float *out) {
  const size_t n_out = (size_t)product(d, 0), n = n_out * (size_t)product(d, 1);
  memset(out, 0, n_out * sizeof *out);
  for (size_t i = 0; i < n; i++) out[output_of(d, i)] += in[i];
  for (size_t i = 0; i < n_out; i++) out[i] /= (float)product(d, 1);
}

static struct tvmq_quant random_quant(struct fuzz_bytes *b, enum tvmq_type type) {
  const struct tvmq_range range = tvmq_type_range(type);
  struct tvmq_quant quant = {.scale = ldexpf((float)check_between(1 << 23, (1 << 24) - 1), -24), .zero_point = (int32_t)check_between(range.min, range.max)};
  if (fuzz_pick(b, 0, 3) == 0) quant.scale = ldexpf(1, (int)fuzz_pick(b, -30, 30));
  if (fuzz_pick(b, 0, 31) == 0) quant.scale = 0;
  if (fuzz_pick(b, 0, 31) == 0) quant.zero_point = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  return quant;
}

void fuzz_reduce(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(8) uint8_t expected[FUZZ_MAX_BYTES];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  static const enum tvmq_type types[] = {TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16};
  const enum tvmq_type integers = types[fuzz_pick(b, 0, 2)], type = check_one_in(8) ? TVMQ_TYPE_F32 : integers;
  struct tvmq_reduce_desc d = {
      .reduction = (enum tvmq_reduction)fuzz_pick(b, TVMQ_REDUCTION_MEAN, TVMQ_REDUCTION_MIN),
      .in_type = type,
      .out_type = fuzz_pick(b, 0, 15) ? type : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4),
      .in = random_quant(b, type),
      .n_dims = fuzz_pick(b, 0, 3) ? 3 : (int32_t)fuzz_pick(b, 0, 9),
  };
  d.out = fuzz_pick(b, 0, 1) ? d.in : random_quant(b, type);
  if (type == TVMQ_TYPE_S16 && fuzz_pick(b, 0, 7)) d.in.zero_point = d.out.zero_point = 0;
  for (int i = 0; i < d.n_dims; i++) d.dims[i] = (int32_t)fuzz_pick(b, 0, d.n_dims > 3 ? 5 : fuzz_pick(b, 0, 1) ? 9 : 200);
  if (d.n_dims == 3 && check_one_in(3)) d.dims[2] = 1;  // reductions along the last dimension
  char text[400];
  snprintf(text, sizeof text, "reduction %d, types %d -> %d, %d dims %dx%dx%dx%dx%dx%dx%dx%dx%d, scales %a -> %a, zero points %d -> %d, rounding %d, cpu %#x",
           d.reduction, d.in_type, d.out_type, d.n_dims, d.dims[0], d.dims[1], d.dims[2], d.dims[3], d.dims[4], d.dims[5], d.dims[6], d.dims[7], d.dims[8],
           (double)d.in.scale, (double)d.out.scale, d.in.zero_point, d.out.zero_point, env->rounding, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.reduce = d};
  const char *why = fuzz_claim(&tvmq_operator_reduce, &desc);
  if (why) return;
  const size_t out_bytes = (size_t)product(&d, 0) * tvmq_type_bytes(type), in_bytes = out_bytes * (size_t)product(&d, 1);
  if (in_bytes > FUZZ_MAX_BYTES) return;
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, in_bytes, side);
  if (type == TVMQ_TYPE_F32) {
    for (size_t i = 0; i < in_bytes / sizeof(float); i++)
      ((float *)in.write)[i] = ldexpf((float)check_between(-(1 << 24), 1 << 24), (int)check_between(-30, 0));
    mean_of_floats(&d, in.read, (float *)expected);
  } else {
    check_random_bytes(in.write, in_bytes);
    reduce(&d, env->rounding, in.read, expected);
  }
  const struct tvmq_implementation *const op_class = tvmq_op_computed_by(&tvmq_op_reduce, &desc, env);
  struct tvmq_op *op = NULL;
  fuzz_run(op_class, &op, &desc, env, &in.read, expected, out_bytes, side);
  tvmq_op_release(op_class, op);
}
