// MEAN over height and width.
#include <math.h>
#include <stdio.h>

#include "fuzz.h"
#include "support/oracle.h"
#include "support/random.h"

// The multiplier of the scales over n, shifted left before by the whole of log2(n), as far as a shift to the right by 31 remains.
static void mean_multiplier(const struct tvmq_mean_desc *d, int32_t *multiplier, int32_t *shift) {
  const int32_t n = d->in_h * d->in_w;
  oracle_fixed_point((double)d->in.scale / (double)d->out.scale, multiplier, shift);
  const int32_t left = (int32_t)fmin(floor(log2(n)), 31 + *shift);
  *multiplier = (int32_t)(*multiplier * (INT64_C(1) << left) / n);
  *shift -= left;
}

static void mean(const struct tvmq_mean_desc *d, enum tvmq_rounding rounding, const void *in, uint8_t *out) {
  const struct tvmq_range range = tvmq_type_range(d->out_type);
  const size_t pixels = (size_t)d->in_h * (size_t)d->in_w, channels = (size_t)d->channels;
  int32_t multiplier, shift;
  mean_multiplier(d, &multiplier, &shift);
  for (size_t i = 0; i < (size_t)d->batch * channels; i++) {
    int32_t sum = 0;
    for (size_t p = 0; p < pixels; p++) sum += oracle_load(d->in_type, in, (i / channels * pixels + p) * channels + i % channels) - d->in.zero_point;
    const int32_t value = oracle_wrap((int64_t)oracle_round_s32(rounding, sum, multiplier, shift) + d->out.zero_point);
    out[i] = (uint8_t)(value < range.min ? range.min : value > range.max ? range.max : value);
  }
}

static struct tvmq_quant random_quant(struct fuzz_bytes *b, enum tvmq_type type) {
  const struct tvmq_range range = tvmq_type_range(type);
  struct tvmq_quant quant = {.scale = ldexpf((float)check_between(1 << 23, (1 << 24) - 1), -24), .zero_point = (int32_t)check_between(range.min, range.max)};
  if (fuzz_pick(b, 0, 3) == 0) quant.scale = ldexpf(1, (int)fuzz_pick(b, -30, 30));
  if (fuzz_pick(b, 0, 31) == 0) quant.scale = 0;
  if (fuzz_pick(b, 0, 31) == 0) quant.zero_point = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  return quant;
}

void fuzz_mean(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static uint8_t expected[FUZZ_MAX_BYTES];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  const enum tvmq_type type = fuzz_pick(b, 0, 1) ? TVMQ_TYPE_S8 : TVMQ_TYPE_U8;
  struct tvmq_mean_desc d = {
      .in_type = type,
      .out_type = fuzz_pick(b, 0, 15) ? type : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4),
      .batch = (int32_t)fuzz_pick(b, 0, 9),
      .in_h = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 9 : 30),
      .in_w = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 9 : 30),
      .channels = (int32_t)fuzz_pick(b, 0, 100),
      .in = random_quant(b, type),
      .out = random_quant(b, type),
  };
  char text[300];
  snprintf(text, sizeof text, "mean, types %d -> %d, %dx%dx%dx%d, scales %a -> %a, zero points %d -> %d, rounding %d, cpu %#x", d.in_type, d.out_type, d.batch,
           d.in_h, d.in_w, d.channels, (double)d.in.scale, (double)d.out.scale, d.in.zero_point, d.out.zero_point, env->rounding, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.mean = d};
  const char *why = tvmq_op_mean.claim(&desc);
  fuzz_claimed(why);
  const size_t out_bytes = (size_t)d.batch * (size_t)d.channels, in_bytes = out_bytes * (size_t)d.in_h * (size_t)d.in_w;
  if (why || in_bytes > FUZZ_MAX_BYTES) return;
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, in_bytes, side);
  check_random_bytes(in.write, in_bytes);
  mean(&d, env->rounding, in.read, expected);
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_mean, &op, &desc, env, &in.read, expected, out_bytes, side);
  tvmq_op_mean.release(op);
}
