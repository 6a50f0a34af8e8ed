// The reference's steps as add_template.h wants them, for AVX2 and AVX-512.
//
// The includer defines all(x), add(a, b), sub(a, b), exclusive(a, b), left(x, n) and right(x, n), which shift lanes by a constant, and clamped(x, min, max).
#pragma once

#include "kernels/add_ways.h"

struct steps {
  struct tvmq_stage in, out;
  struct tvmq_short_stage short_in, short_out;
  vec in_zero_point[2], in_multiplier, in_shift, out_multiplier, out_shift, flip, min, max;
};

static struct steps steps_of(const struct tvmq_add_args *args) {
  struct steps s = {
      .in = {.rounding = args->rounding},
      .out = {.rounding = args->rounding, .zero_point = args->out_zero_point},
      .in_zero_point = {all(args->in_zero_point[0]), all(args->in_zero_point[1])},
      .in_multiplier = all(args->in_scale[1].multiplier),
      .in_shift = all(args->in_scale[1].shift),
      .out_multiplier = all(args->out_scale.multiplier),
      .out_shift = all(args->out_scale.shift),
      .flip = all((int8_t)args->flip),
      .min = all(args->min),
      .max = all(args->max),
  };
  s.short_in = tvmq_short_stage_make(&s.in, TVMQ_PATH_SHORT, s.in_multiplier, s.in_shift);
  s.short_out = tvmq_short_stage_make(&s.out, TVMQ_PATH_SHORT, s.out_multiplier, s.out_shift);
  return s;
}

// Sums are at most 2^30 in magnitude; rounding and zero point fit beside what is shifted.
static bool is_short(const struct tvmq_add_args *args) {
  const int32_t in = -args->in_scale[1].shift, out = -args->out_scale.shift;
  const int64_t zero_point = args->out_zero_point < 0 ? -args->out_zero_point : args->out_zero_point;
  return in <= 29 && out >= 1 && out <= 29 && zero_point << out <= 1 << 29;
}

TVMQ_INLINE void raise_bytes(const struct steps *s, int i, const void *in, vec x[]) {
  load_s8(in, x);
  UNROLL for (int v = 0; v < 4; v++) x[v] = left(sub(exclusive(x[v], s->flip), s->in_zero_point[i]), i == 0 ? RAISED_BYTES - 1 : RAISED_BYTES);
}

TVMQ_INLINE void raise_s16(const struct steps *s, int i, const void *in, vec x[]) {
  (void)s;
  load_s16(in, x);
  UNROLL for (int v = 0; v < 4; v++) x[v] = left(x[v], i == 0 ? RAISED_S16 - 1 : RAISED_S16);
}

TVMQ_INLINE vec rescaled(enum steps_way way, const struct tvmq_short_stage *short_stage, const struct tvmq_stage *stage, vec x, vec multiplier, vec shift) {
  if (way == LONG) return tvmq_long_rescale(stage, x, multiplier, shift);
  return tvmq_short_rescale(short_stage, TVMQ_PATH_SHORT, tvmq_short_bias(TVMQ_PATH_SHORT, x));
}

TVMQ_INLINE vec steps_sum(const struct steps *s, enum steps_way way, enum sign sign, vec a, vec b) {
  const vec scaled = way == EQUAL ? right(b, 1) : rescaled(way, &s->short_in, &s->in, b, s->in_multiplier, s->in_shift);
  const vec sum = sign == PLUS ? add(a, scaled) : sign == LESS_SECOND ? sub(a, scaled) : sub(scaled, a);
  return rescaled(way, &s->short_out, &s->out, sum, s->out_multiplier, s->out_shift);
}

TVMQ_INLINE void lower_bytes(const struct steps *s, const vec x[], void *out) {
  vec value[4];
  UNROLL for (int v = 0; v < 4; v++) value[v] = exclusive(clamped(x[v], s->min, s->max), s->flip);
  store_s8(out, value);
}

TVMQ_INLINE void lower_s16(const struct steps *s, const vec x[], void *out) {
  vec value[4];
  UNROLL for (int v = 0; v < 4; v++) value[v] = clamped(x[v], s->min, s->max);
  store_s16(out, value);
}

#include "kernels/add_template.h"
