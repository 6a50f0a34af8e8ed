// QUANTIZE.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "support/oracle.h"
#include "support/random.h"

static const struct {
  const char *name;
  size_t bytes;
  int32_t min, max;
} types[] = {
    [TVMQ_TYPE_OTHER] = {"other", 1, 0, 0},
    [TVMQ_TYPE_S8] = {"s8", 1, INT8_MIN, INT8_MAX},
    [TVMQ_TYPE_U8] = {"u8", 1, 0, UINT8_MAX},
    [TVMQ_TYPE_S16] = {"s16", 2, INT16_MIN, INT16_MAX},
    [TVMQ_TYPE_S32] = {"s32", 4, INT32_MIN, INT32_MAX},
    [TVMQ_TYPE_S64] = {"s64", 8, 0, 0},
    [TVMQ_TYPE_F32] = {"f32", 4, 0, 0},
    [TVMQ_TYPE_S4] = {"s4", 1, -8, 7},
};

static void fill(const struct tvmq_quantize_desc *d, void *tensor) {
  if (d->in_type != TVMQ_TYPE_F32) {
    check_random_bytes(tensor, d->n * types[d->in_type].bytes);
    return;
  }
  // Around the codes of the output, ties among them; and where quotients leave int32.
  const float far = 0x1p31f * d->out.scale, ends[] = {far, nextafterf(far, 0), INFINITY, NAN, FLT_MAX, 0x1p-149f, 0.0f};
  for (size_t i = 0; i < d->n; i++) {
    float *const x = (float *)tensor + i;
    *x = (float)check_between(-80000, 80000) * 0.5f * d->out.scale;
    if (check_one_in(16)) *x = copysignf(ends[check_below(sizeof ends / sizeof ends[0])], *x);
  }
}

static void convert(const struct tvmq_quantize_desc *d, enum tvmq_rounding rounding, const void *in, void *out) {
  int32_t multiplier = 0, shift = 0;
  if (d->in_type != TVMQ_TYPE_F32) oracle_fixed_point((double)d->in.scale / (double)d->out.scale, &multiplier, &shift);
  for (size_t i = 0; i < d->n; i++) {
    int32_t value;
    if (d->in_type == TVMQ_TYPE_F32) {
      const float x = ((const float *)in)[i];
      value = d->reciprocal ? oracle_multiply_f32(x, 1 / d->out.scale) : oracle_quantize_f32(x, d->out.scale);
    } else {
      value = oracle_round_s32(rounding, oracle_wrap((int64_t)oracle_load(d->in_type, in, i) - d->in.zero_point), multiplier, shift);
    }
    value = oracle_wrap((int64_t)value + d->out.zero_point);
    value = value < types[d->out_type].min ? types[d->out_type].min : value > types[d->out_type].max ? types[d->out_type].max : value;
    memcpy((uint8_t *)out + i * types[d->out_type].bytes, &value, types[d->out_type].bytes);
  }
}

static float random_scale(void) { return (float)check_between(1 << 23, (1 << 24) - 1) * 0x1p-30f; }

void fuzz_quantize(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static uint8_t expected[FUZZ_MAX_BYTES];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_quantize_desc d = {
      .in_type = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4),
      .out_type = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4),
      .n = (size_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 7) ? 200 : 40000),
  };
  const bool both_16 = d.in_type == TVMQ_TYPE_S16 && d.out_type == TVMQ_TYPE_S16;
  if (d.in_type != TVMQ_TYPE_F32 && !both_16) d.in.zero_point = (int32_t)check_between(types[d.in_type].min, types[d.in_type].max);
  if (!both_16) d.out.zero_point = (int32_t)check_between(types[d.out_type].min, types[d.out_type].max);
  d.out.scale = random_scale();
  d.in.scale = fuzz_pick(b, 0, 3) ? ldexpf(random_scale(), (int)fuzz_pick(b, -20, 20)) : d.out.scale;
  static const float odd_scales[] = {0, -1, INFINITY, NAN, 0x1p-149f, 0x1p127f};
  if (fuzz_pick(b, 0, 7) == 0) *(fuzz_pick(b, 0, 1) ? &d.in.scale : &d.out.scale) = odd_scales[fuzz_pick(b, 0, 5)];
  if (fuzz_pick(b, 0, 15) == 0) d.in.zero_point = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  if (fuzz_pick(b, 0, 15) == 0) d.out.zero_point = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);

  d.reciprocal = fuzz_pick(b, 0, 1) != 0;

  char text[300];
  snprintf(text, sizeof text, "quantize %s to %s, n %zu, scales %a -> %a, zero points %d -> %d, reciprocal %d, rounding %d, cpu %#x", types[d.in_type].name,
           types[d.out_type].name, d.n, (double)d.in.scale, (double)d.out.scale, d.in.zero_point, d.out.zero_point, d.reciprocal, env->rounding, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.quantize = d};
  const char *why = fuzz_claim(&tvmq_operator_quantize, &desc);
  if (why) return;
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, d.n * types[d.in_type].bytes, side);
  fill(&d, in.write);
  convert(&d, env->rounding, in.read, expected);
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_quantize, &op, &desc, env, &in.read, expected, d.n * types[d.out_type].bytes, side);
  tvmq_op_release(&tvmq_op_quantize, op);
}
