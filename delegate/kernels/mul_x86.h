// Product of two quantized tensors, for AVX2 and AVX-512 (products_x86.h).
//
// Where the second tensor's zero point is -128, as that of gates mostly is, its bytes less the zero point are uint8, and vpdpbusd multiplies them with the
// first tensor's bytes as these lie. It adds four products in every 32-bit lane, so the second tensor becomes four vectors, each with one byte of every four
// beside zeros. The first tensor's zero point is taken off before: the sum starts with minus the zero point times the second tensor.
//
// The includer defines what products_x86.h wants. With BYTE_PRODUCTS, it defines multiply_add_bytes(sum, a, b) too, which adds the sums of four products of a
// uint8 and an int8.
#pragma once

#include "kernels/inline.h"
#include "kernels/kernel.h"

struct factors {
  struct tvmq_stage stage;
  struct tvmq_short_stage short_stage;
  vec in_zero_point[2], flip, start, multiplier, shift;
};

#include "kernels/products_x86.h"

TVMQ_INLINE struct factors factors_of(const struct tvmq_mul_args *args, stage_path path) {
  struct factors f = {
      .stage = args->stage,
      .in_zero_point = {MM(set1_epi16)((int16_t)args->in_zero_point[0]), MM(set1_epi16)((int16_t)args->in_zero_point[1])},
      .flip = MM(set1_epi8)((char)args->stage.flip),
      .start = tvmq_short_bias(path, MM(set1_epi32)(path == TVMQ_PATH_FLOAT ? args->bias : 0)),
      .multiplier = MM(set1_epi32)(args->multiplier),
      .shift = MM(set1_epi32)(args->shift),
  };
  f.short_stage = tvmq_short_stage_make(&f.stage, path, f.multiplier, f.shift);
  return f;
}

// The second tensor. `values`: bytes as int16, at even places and at odd ones; int16 have the first alone. With BYTE_PRODUCTS, where its zero point is -128,
// the others instead: uint8, one of every four beside zeros, and what the sums of their products start with.
struct raised {
  struct apart values[2];
  vec from_zero[4], start[4];
};

TVMQ_INLINE void raise_s8(const struct factors *f, const uint8_t *in, struct raised *raised) {
  vec x[2];
  raise_bytes(f, 1, in, x);
  UNROLL for (int i = 0; i < 2; i++) raised->values[i] = apart(x[i]);
}

TVMQ_INLINE void raise_s16(const struct factors *f, const uint8_t *in, struct raised *raised) {
  (void)f;
  raised->values[0] = apart(load(in));
}

TVMQ_INLINE void multiply_s8(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *b, uint8_t *out) {
  vec a[2], value[4];
  raise_bytes(f, 0, in, a);
  UNROLL for (int i = 0; i < 2; i++) values_of(f, path, a[i], &b->values[i], &value[i], &value[i + 2]);
  store_bytes(f, path, value, out);
}

#ifdef BYTE_PRODUCTS
// For a zero point of -128.
TVMQ_INLINE void raise_from_zero(const struct factors *f, const uint8_t *in, struct raised *raised) {
  const vec bytes = exclusive(exclusive(load(in), f->flip), MM(set1_epi8)(INT8_MIN));
  const vec zero_point = MM(packs_epi16)(f->in_zero_point[0], f->in_zero_point[0]);
  UNROLL for (int i = 0; i < 4; i++) {
    raised->from_zero[i] = both(bytes, MM(set1_epi32)((int32_t)((uint32_t)UINT8_MAX << 8 * i)));
    raised->start[i] = MM(sub_epi32)(f->start, multiply_add_bytes(MM(set1_epi32)(0), raised->from_zero[i], zero_point));
  }
}

TVMQ_INLINE void multiply_from_zero(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *b, uint8_t *out) {
  const vec a = exclusive(load(in), f->flip);
  vec value[4];
  UNROLL for (int i = 0; i < 4; i++) value[i] = value_of(f, path, multiply_add_bytes(b->start[i], b->from_zero[i], a));
  store_bytes(f, path, value, out);
}
#endif

TVMQ_INLINE void multiply_s16(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *b, uint8_t *out) {
  vec even, odd;
  values_of(f, path, load(in), &b->values[0], &even, &odd);
  const vec order = all_lanes(_mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
  store(out, MM(shuffle_epi8)(tvmq_pack_lanes_s16(&f->stage, even, odd), order));
}

#define BY_PATH_s8(args, body, ...) TVMQ_FOR_PATH(tvmq_panel_path(&(args)->stage, &(args)->multiplier), body, __VA_ARGS__)
#define BY_PATH_s16(args, body, ...) TVMQ_FOR_FIXED_PATH(tvmq_stage_path(&(args)->stage), body, __VA_ARGS__)

#include "kernels/mul_template.h"
