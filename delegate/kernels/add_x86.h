// The reference's steps as add_template.h wants them, for AVX2 and AVX-512.
//
// The includer defines all(x), add(a, b), raised(x, zero_point, left), which is (x - zero_point) << left, and clamped(x, min, max).
#pragma once

struct steps {
  struct tvmq_stage in, out;
  vec left, in_zero_point[2], in_multiplier[2], in_shift[2], out_multiplier, out_shift, min, max;
};

TVMQ_INLINE struct steps steps_of(const struct tvmq_add_args *args, int32_t offset) {
  struct steps s = {
      .in = {.rounding = args->rounding},
      .out = {.rounding = args->rounding, .zero_point = args->out_zero_point + offset},
      .left = all(args->left_shift),
      .out_multiplier = all(args->out_scale.multiplier),
      .out_shift = all(args->out_scale.shift),
      .min = all(args->min + offset),
      .max = all(args->max + offset),
  };
  UNROLL for (int i = 0; i < 2; i++) {
    s.in_zero_point[i] = all(args->in_zero_point[i] + offset);
    s.in_multiplier[i] = all(args->in_scale[i].multiplier);
    s.in_shift[i] = all(args->in_scale[i].shift);
  }
  return s;
}

TVMQ_INLINE vec steps_scaled(const struct steps *s, int i, vec x) {
  return tvmq_long_rescale(&s->in, raised(x, s->in_zero_point[i], s->left), s->in_multiplier[i], s->in_shift[i]);
}

TVMQ_INLINE vec steps_sum(const struct steps *s, vec a, vec b) {
  const vec sum = add(steps_scaled(s, 0, a), steps_scaled(s, 1, b));
  return clamped(tvmq_long_rescale(&s->out, sum, s->out_multiplier, s->out_shift), s->min, s->max);
}

#include "add_template.h"
