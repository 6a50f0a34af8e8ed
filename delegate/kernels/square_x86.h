// Squared difference of two quantized tensors, for AVX2 and AVX-512 (products_x86.h): differences are int16, each multiplied by itself.
//
// An element that is rescaled by a half is shifted to the left by one bit less than the reference shifts it. Others are rescaled in 32 bits, those at even and
// at odd places apart; where they are a row that many rows meet, once for all of them.
//
// The includer defines what products_x86.h wants.
#pragma once

#include "kernels/inline.h"
#include "kernels/kernel.h"

struct factors {
  struct tvmq_stage stage, in_stage;
  struct tvmq_short_stage short_stage;
  vec in_zero_point[2], in_multiplier[2], in_shift[2], flip, start, multiplier, shift;
  bool half;  // the second is rescaled by a half
};

#include "kernels/products_x86.h"

TVMQ_INLINE struct factors factors_of(const struct tvmq_square_args *args, stage_path path) {
  struct factors f = {
      .stage = args->stage,
      .in_stage.rounding = args->rounding,
      .flip = MM(set1_epi8)((char)args->stage.flip),
      .start = tvmq_short_bias(path, MM(set1_epi32)(0)),
      .multiplier = MM(set1_epi32)(args->multiplier),
      .shift = MM(set1_epi32)(args->shift),
      .half = tvmq_is_half(args->in_scale[1]),
  };
  for (int i = 0; i < 2; i++) {
    f.in_zero_point[i] = MM(set1_epi16)((int16_t)args->in_zero_point[i]);
    f.in_multiplier[i] = MM(set1_epi32)(args->in_scale[i].multiplier);
    f.in_shift[i] = MM(set1_epi32)(args->in_scale[i].shift);
  }
  f.short_stage = tvmq_short_stage_make(&f.stage, path, f.multiplier, f.shift);
  return f;
}

// The elements at even places, and at odd ones.
struct raised {
  vec values[2];
};

// x is in the upper half of each 32-bit lane, and something in the lower.
TVMQ_INLINE vec rescaled(const struct factors *f, int i, vec x) {
  const vec shifted = MM(slli_epi32)(MM(srai_epi32)(x, 16), TVMQ_SQUARE_SHIFT);
  return tvmq_long_rescale(&f->in_stage, shifted, f->in_multiplier[i], f->in_shift[i]);
}

TVMQ_INLINE void raise_input(const struct factors *f, int i, bool half, const uint8_t *in, vec x[2]) {
  raise_bytes(f, i, in, x);
  UNROLL for (int j = 0; j < 2; j++) {
    if (half) {
      x[j] = MM(slli_epi16)(x[j], TVMQ_SQUARE_SHIFT - 1);
    } else {
      const vec even = rescaled(f, i, MM(slli_epi32)(x[j], 16)), odd = rescaled(f, i, x[j]);
      x[j] = exclusive(both(even, MM(set1_epi32)(UINT16_MAX)), MM(slli_epi32)(odd, 16));
    }
  }
}

TVMQ_INLINE void raise_row(const struct factors *f, const uint8_t *in, struct raised *raised) { raise_input(f, 1, f->half, in, raised->values); }

TVMQ_INLINE void square(const struct factors *f, stage_path path, bool half, const uint8_t *in, const struct raised *b, uint8_t *out) {
  vec a[2], value[4];
  raise_input(f, 0, half, in, a);
  UNROLL for (int i = 0; i < 2; i++) {
    const vec difference = MM(sub_epi16)(a[i], b->values[i]);
    const struct apart other = apart(difference);
    values_of(f, path, difference, &other, &value[i], &value[i + 2]);
  }
  store_bytes(f, path, value, out);
}

// Ties of squares go up, so there are fewer paths than of products.
#define BY_PATH(args, body, ...)                                                       \
  do {                                                                                 \
    const enum tvmq_path taken = tvmq_panel_path(&(args)->stage, &(args)->multiplier); \
    if (taken == TVMQ_PATH_FLOAT)                                                      \
      body(__VA_ARGS__, TVMQ_PATH_FLOAT);                                              \
    else if (taken == TVMQ_PATH_UPWARD)                                                \
      body(__VA_ARGS__, TVMQ_PATH_UPWARD);                                             \
    else                                                                               \
      body(__VA_ARGS__, TVMQ_PATH_LONG);                                               \
  } while (0)

#include "kernels/square_template.h"
