// Product of two quantized tensors, or square of their difference, for AVX2 and AVX-512. The includer defines ISA.
//
// pmaddwd multiplies pairs of int16 and adds the two products. If one factor of a pair is zero, the result is the other
// product, in 32 bits. Bytes at even and at odd places are widened separately, and each half is again multiplied
// separately at even and odd places. So each vector has every fourth byte. Packing four vectors leaves four groups of
// four bytes in each 128-bit lane, which a shuffle transposes.
//
// A second tensor with zero point -128 is common for gates. Its bytes minus the zero point are uint8, and vpdpbusd
// multiplies them by the first tensor's bytes directly. vpdpbusd adds four products per 32-bit lane, so the second
// tensor becomes four vectors, each with one byte of every four and zeros elsewhere. The sum starts with minus the
// first tensor's zero point times the second tensor.
//
// Differences are int16, and each is multiplied by itself. An element that is rescaled by a half is shifted to the left
// by one bit less than in the reference. Other elements are rescaled in 32 bits, separately at even and odd places. A
// row that many rows are combined with is rescaled once.
#pragma once

#include "base/inline.h"
#include "kernels/kernel.h"
#include "kernels/x86/stage_x86.h"

typedef enum tvmq_path stage_path;

enum { BLOCK_BYTES = sizeof(vec) };

struct factors {
  struct tvmq_stage stage, in_stage;
  struct tvmq_short_stage short_stage;
  vec in_zero_point[2], in_multiplier[2], in_shift[2], flip, start, multiplier, shift;
  bool half;  // the second tensor is rescaled by a half
};

TVMQ_INLINE struct factors factors_of(const struct tvmq_mul_args *args, stage_path path) {
  struct factors f = {
      .stage = args->stage,
      .in_zero_point = {MM(set1_epi16)((int16_t)args->in_zero_point[0]), MM(set1_epi16)((int16_t)args->in_zero_point[1])},
      .flip = MM(set1_epi8)((char)args->stage.flip),
      .start = tvmq_short_bias(path, MM(set1_epi32)(path == TVMQ_PATH_FLOAT ? args->bias : 0)),
      .multiplier = MM(set1_epi32)(args->multiplier),
      .shift = MM(set1_epi32)(args->shift),
  };
  if (args->difference) {
    f.in_stage.rounding = args->rounding;
    for (int i = 0; i < 2; i++) {
      f.in_multiplier[i] = MM(set1_epi32)(args->in_scale[i].multiplier);
      f.in_shift[i] = MM(set1_epi32)(args->in_scale[i].shift);
    }
    f.half = tvmq_is_half(args->in_scale[1]);
  }
  f.short_stage = tvmq_short_stage_make(&f.stage, path, f.multiplier, f.shift);
  return f;
}

// Adds the sums of two int16 products, or of four products of a uint8 and an int8, to each 32-bit lane.
#if VECTOR_BITS == 512
#define BYTE_PRODUCTS
TVMQ_INLINE vec multiply_add(vec sum, vec a, vec b) { return _mm512_dpwssd_epi32(sum, a, b); }
TVMQ_INLINE vec multiply_add_bytes(vec sum, vec a, vec b) { return _mm512_dpbusd_epi32(sum, a, b); }
#else
TVMQ_INLINE vec multiply_add(vec sum, vec a, vec b) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }
#endif

// The int16 of a vector at even and at odd places, with zeros elsewhere.
struct apart {
  vec even, odd;
};

TVMQ_INLINE struct apart apart(vec x) {
  const vec even = vec_and(x, MM(set1_epi32)(UINT16_MAX));
  return (struct apart){even, vec_xor(x, even)};
}

// Returns the value of a sum that began with `start`.
TVMQ_INLINE vec value_of(const struct factors *f, stage_path path, vec sum) {
  return path == TVMQ_PATH_LONG ? tvmq_long_rescale(&f->stage, sum, f->multiplier, f->shift) : tvmq_short_rescale(&f->short_stage, path, sum);
}

// Computes the values of the products at even places, and at odd places.
TVMQ_INLINE void values_of(const struct factors *f, stage_path path, vec a, const struct apart *b, vec *even, vec *odd) {
  *even = value_of(f, path, multiply_add(f->start, a, b->even));
  *odd = value_of(f, path, multiply_add(f->start, a, b->odd));
}

// Widens the bytes at even places, and at odd places, and subtracts the zero point.
TVMQ_INLINE void raise_bytes(const struct factors *f, int i, const uint8_t *in, vec x[2]) {
  const vec bytes = vec_xor(vec_load(in), f->flip);
  x[0] = MM(sub_epi16)(MM(srai_epi16)(MM(slli_epi16)(bytes, 8), 8), f->in_zero_point[i]);
  x[1] = MM(sub_epi16)(MM(srai_epi16)(bytes, 8), f->in_zero_point[i]);
}

// Stores 4 vectors of values as bytes; vector i has the values at places i, i + 4 and so on.
TVMQ_INLINE void store_bytes(const struct factors *f, stage_path path, const vec value[4], uint8_t *out) {
  const vec order = vec_all_128(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  vec_store(out, MM(shuffle_epi8)(tvmq_pack_lanes(&f->stage, path, value), order));
}

// The converted second tensor. values: bytes as int16 at even and at odd places; int16 tensors use values[0] only.
// from_zero (zero point -128): vector i has one uint8 of every four, with zeros for the others. start: the initial
// value of their sums. at_scale (differences): elements at the common scale, at even and at odd places.
struct raised {
  struct apart values[2];
  vec from_zero[4], start[4], at_scale[2];
};

TVMQ_INLINE void raise_s8(const struct factors *f, const uint8_t *in, struct raised *raised) {
  vec x[2];
  raise_bytes(f, 1, in, x);
  UNROLL for (int i = 0; i < 2; i++) raised->values[i] = apart(x[i]);
}

TVMQ_INLINE void raise_s16(const struct factors *f, const uint8_t *in, struct raised *raised) {
  (void)f;
  raised->values[0] = apart(vec_load(in));
}

TVMQ_INLINE void multiply_s8(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *b, uint8_t *out) {
  vec a[2], value[4];
  raise_bytes(f, 0, in, a);
  UNROLL for (int i = 0; i < 2; i++) values_of(f, path, a[i], &b->values[i], &value[i], &value[i + 2]);
  store_bytes(f, path, value, out);
}

#ifdef BYTE_PRODUCTS
// Converts a second tensor with zero point -128.
TVMQ_INLINE void raise_from_zero(const struct factors *f, const uint8_t *in, struct raised *raised) {
  const vec bytes = vec_xor(vec_xor(vec_load(in), f->flip), MM(set1_epi8)(INT8_MIN));
  const vec zero_point = MM(packs_epi16)(f->in_zero_point[0], f->in_zero_point[0]);
  UNROLL for (int i = 0; i < 4; i++) {
    raised->from_zero[i] = vec_and(bytes, MM(set1_epi32)((int32_t)((uint32_t)UINT8_MAX << 8 * i)));
    raised->start[i] = MM(sub_epi32)(f->start, multiply_add_bytes(MM(set1_epi32)(0), raised->from_zero[i], zero_point));
  }
}

TVMQ_INLINE void multiply_from_zero(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *b, uint8_t *out) {
  const vec a = vec_xor(vec_load(in), f->flip);
  vec value[4];
  UNROLL for (int i = 0; i < 4; i++) value[i] = value_of(f, path, multiply_add_bytes(b->start[i], b->from_zero[i], a));
  store_bytes(f, path, value, out);
}
#endif

TVMQ_INLINE void multiply_s16(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *b, uint8_t *out) {
  vec even, odd;
  values_of(f, path, vec_load(in), &b->values[0], &even, &odd);
  const vec order = vec_all_128(_mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
  vec_store(out, MM(shuffle_epi8)(tvmq_pack_lanes_s16(&f->stage, even, odd), order));
}

// ---- squares of differences

// Rescales x, which is in the upper half of each 32-bit lane; ignores the lower half.
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
      x[j] = vec_xor(vec_and(even, MM(set1_epi32)(UINT16_MAX)), MM(slli_epi32)(odd, 16));
    }
  }
}

TVMQ_INLINE void raise_difference(const struct factors *f, const uint8_t *in, struct raised *raised) { raise_input(f, 1, f->half, in, raised->at_scale); }

TVMQ_INLINE void square_s8(const struct factors *f, stage_path path, bool half, const uint8_t *in, const struct raised *b, uint8_t *out) {
  vec a[2], value[4];
  raise_input(f, 0, half, in, a);
  UNROLL for (int i = 0; i < 2; i++) {
    const vec difference = MM(sub_epi16)(a[i], b->at_scale[i]);
    const struct apart other = apart(difference);
    values_of(f, path, difference, &other, &value[i], &value[i + 2]);
  }
  store_bytes(f, path, value, out);
}

#define BY_PATH_s8(args, body, ...) TVMQ_FOR_PATH(tvmq_panel_path(&(args)->stage, &(args)->multiplier), body, __VA_ARGS__)
#define BY_PATH_s16(args, body, ...) TVMQ_FOR_FIXED_PATH(tvmq_stage_path(&(args)->stage), body, __VA_ARGS__)

// Ties of squares go up, so squares need fewer paths than products.
#define BY_PATH_SQUARES(args, body, ...)                                               \
  do {                                                                                 \
    const enum tvmq_path taken = tvmq_panel_path(&(args)->stage, &(args)->multiplier); \
    if (taken == TVMQ_PATH_FLOAT)                                                      \
      body(__VA_ARGS__, TVMQ_PATH_FLOAT);                                              \
    else if (taken == TVMQ_PATH_UPWARD)                                                \
      body(__VA_ARGS__, TVMQ_PATH_UPWARD);                                             \
    else                                                                               \
      body(__VA_ARGS__, TVMQ_PATH_LONG);                                               \
  } while (0)

#include "kernels/mul_template.h"
