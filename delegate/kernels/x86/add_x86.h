// Sum or difference of two quantized tensors, for AVX2 and AVX-512. The includer defines ISA.
//
// Along a plane, bytes of both tensors become pairs of int16: 256 a and 256 b, which pmaddwd multiplies by the high parts of the multipliers, and a and b, by
// the low parts. On AVX-512 vpdpwssd adds the former, and vpdpbusd the latter: it sees four bytes, 0, a, 0, b. Along a line the pairs are 256 a and a, which
// meet both parts of one multiplier. Packing undoes the order that unpacking makes.
#pragma once

#include "kernels/add_ways.h"
#include "kernels/kernel.h"
#include "kernels/x86/elements_x86.h"
#include "kernels/x86/stage_x86.h"

enum { BLOCK = sizeof(vec) };

TVMQ_INLINE vec every_s8(int8_t x) { return MM(set1_epi8)(x); }
TVMQ_INLINE vec every_s32(int32_t x) { return MM(set1_epi32)(x); }

// ---- bytes along a plane

struct plane {
  vec high, low, parts, bias, shift, drop, knee;
  vec min, max;
  vec exception_in[TVMQ_PLANE_MAX_EXCEPTIONS][2], exception_value[TVMQ_PLANE_MAX_EXCEPTIONS];
};

// plane_sums: pairs of 256 a and 256 b -> sums; the low parts of multipliers are shifted to the left by LOW_SHIFT.
// line_sums: pairs of 256 a and a -> sums.
// dropped: sums, less the drop below the knee.
// replaced: `others` where a is met_a and b is met_b, else `bytes`.
#if VECTOR_BITS == 512
enum { LOW_SHIFT = 8 };

TVMQ_INLINE vec plane_sums(const struct plane *p, vec pair) { return _mm512_dpbusd_epi32(_mm512_dpwssd_epi32(p->bias, pair, p->high), p->low, pair); }

TVMQ_INLINE vec line_sums(const struct plane *p, vec pair) { return _mm512_dpwssd_epi32(p->bias, pair, p->parts); }

TVMQ_INLINE vec dropped(const struct plane *p, vec sums) { return _mm512_mask_sub_epi32(sums, _mm512_cmplt_epi32_mask(sums, p->knee), sums, p->drop); }

TVMQ_INLINE vec replaced(vec bytes, vec others, vec a, vec met_a, vec b, vec met_b) {
  return _mm512_mask_mov_epi8(bytes, _mm512_mask_cmpeq_epi8_mask(_mm512_cmpeq_epi8_mask(a, met_a), b, met_b), others);
}
#else
enum { LOW_SHIFT = 0 };

TVMQ_INLINE vec plane_sums(const struct plane *p, vec pair) {
  const vec high = _mm256_madd_epi16(pair, p->high), low = _mm256_madd_epi16(_mm256_srai_epi16(pair, 8), p->low);
  return _mm256_add_epi32(_mm256_add_epi32(high, p->bias), low);
}

TVMQ_INLINE vec line_sums(const struct plane *p, vec pair) { return _mm256_add_epi32(_mm256_madd_epi16(pair, p->parts), p->bias); }

TVMQ_INLINE vec dropped(const struct plane *p, vec sums) { return _mm256_sub_epi32(sums, _mm256_and_si256(_mm256_cmpgt_epi32(p->knee, sums), p->drop)); }

TVMQ_INLINE vec replaced(vec bytes, vec others, vec a, vec met_a, vec b, vec met_b) {
  return _mm256_blendv_epi8(bytes, others, _mm256_and_si256(_mm256_cmpeq_epi8(a, met_a), _mm256_cmpeq_epi8(b, met_b)));
}
#endif

TVMQ_INLINE vec values(const struct plane *p, bool drops, vec sums) { return MM(srav_epi32)(drops ? dropped(p, sums) : sums, p->shift); }

TVMQ_INLINE vec pairs(int32_t a, int32_t b) { return MM(set1_epi32)((int32_t)((uint32_t)b << 16 | (uint16_t)a)); }

TVMQ_INLINE struct plane plane_of(const struct tvmq_plane *p, int32_t min, int32_t max) {
  struct plane plane = {
      .high = pairs(p->multiplier[0] >> 8, p->multiplier[1] >> 8),
      .low = pairs((p->multiplier[0] & UINT8_MAX) << LOW_SHIFT, (p->multiplier[1] & UINT8_MAX) << LOW_SHIFT),
      .parts = pairs(p->multiplier[0] >> 8, p->multiplier[0] & UINT8_MAX),
      .bias = MM(set1_epi32)(p->bias),
      .shift = MM(set1_epi32)(p->shift),
      .drop = MM(set1_epi32)(p->drop),
      .knee = MM(set1_epi32)(p->knee),
      .min = MM(set1_epi8)((int8_t)min),
      .max = MM(set1_epi8)((int8_t)max),
  };
  for (int e = 0; e < TVMQ_PLANE_MAX_EXCEPTIONS; e++) {
    const struct tvmq_plane_exception *exception = tvmq_plane_exception(p, e);
    for (int i = 0; i < 2; i++) plane.exception_in[e][i] = MM(set1_epi8)(exception->in[i]);
    plane.exception_value[e] = MM(set1_epi8)(exception->value);
  }
  return plane;
}

// Clamped, and replaced where the pair of elements is an exception.
TVMQ_INLINE vec bytes_of(const struct plane *p, int n_exceptions, vec a, vec b, vec value0, vec value1, vec value2, vec value3) {
  vec bytes = MM(packs_epi16)(MM(packs_epi32)(value0, value1), MM(packs_epi32)(value2, value3));
  bytes = MM(min_epi8)(MM(max_epi8)(bytes, p->min), p->max);
  UNROLL for (int e = 0; e < n_exceptions; e++) { bytes = replaced(bytes, p->exception_value[e], a, p->exception_in[e][0], b, p->exception_in[e][1]); }
  return bytes;
}

TVMQ_INLINE void plane_block(const struct plane *p, bool drops, int n_exceptions, uint8_t flip, const uint8_t *in0, const uint8_t *in1, uint8_t *out) {
  const vec zero = (vec){0}, flips = MM(set1_epi8)((char)flip);
  const vec a = vec_xor(vec_load(in0), flips), b = vec_xor(vec_load(in1), flips);
  const vec low = MM(unpacklo_epi8)(a, b), high = MM(unpackhi_epi8)(a, b);
  const vec value0 = values(p, drops, plane_sums(p, MM(unpacklo_epi8)(zero, low))), value1 = values(p, drops, plane_sums(p, MM(unpackhi_epi8)(zero, low)));
  const vec value2 = values(p, drops, plane_sums(p, MM(unpacklo_epi8)(zero, high))), value3 = values(p, drops, plane_sums(p, MM(unpackhi_epi8)(zero, high)));
  vec_store(out, vec_xor(bytes_of(p, n_exceptions, a, b, value0, value1, value2, value3), flips));
}

TVMQ_INLINE void line_block(const struct plane *p, bool drops, int n_exceptions, uint8_t flip, const uint8_t *in, vec b, uint8_t *out) {
  const vec zero = (vec){0}, flips = MM(set1_epi8)((char)flip), a = vec_xor(vec_load(in), flips);
  const vec low = MM(unpacklo_epi8)(zero, a), high = MM(unpackhi_epi8)(zero, a);  // 256 a
  const vec low_a = MM(srai_epi16)(low, 8), high_a = MM(srai_epi16)(high, 8);
  const vec value0 = values(p, drops, line_sums(p, MM(unpacklo_epi16)(low, low_a))), value1 = values(p, drops, line_sums(p, MM(unpackhi_epi16)(low, low_a)));
  const vec value2 = values(p, drops, line_sums(p, MM(unpacklo_epi16)(high, high_a)));
  const vec value3 = values(p, drops, line_sums(p, MM(unpackhi_epi16)(high, high_a)));
  vec_store(out, vec_xor(bytes_of(p, n_exceptions, a, b, value0, value1, value2, value3), flips));
}

// ---- the reference's steps

TVMQ_INLINE vec clamped(vec x, vec min, vec max) { return MM(min_epi32)(MM(max_epi32)(x, min), max); }

struct steps {
  struct tvmq_stage in, out;
  struct tvmq_short_stage short_in, short_out;
  vec in_zero_point[2], in_multiplier, in_shift, out_multiplier, out_shift, flip, min, max;
};

static struct steps steps_of(const struct tvmq_add_args *args) {
  struct steps s = {
      .in = {.rounding = args->rounding},
      .out = {.rounding = args->rounding, .zero_point = args->out_zero_point},
      .in_zero_point = {MM(set1_epi32)(args->in_zero_point[0]), MM(set1_epi32)(args->in_zero_point[1])},
      .in_multiplier = MM(set1_epi32)(args->in_scale[1].multiplier),
      .in_shift = MM(set1_epi32)(args->in_scale[1].shift),
      .out_multiplier = MM(set1_epi32)(args->out_scale.multiplier),
      .out_shift = MM(set1_epi32)(args->out_scale.shift),
      .flip = MM(set1_epi32)((int8_t)args->flip),
      .min = MM(set1_epi32)(args->min),
      .max = MM(set1_epi32)(args->max),
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
  UNROLL for (int v = 0; v < 4; v++) x[v] =
      MM(slli_epi32)(MM(sub_epi32)(vec_xor(x[v], s->flip), s->in_zero_point[i]), i == 0 ? RAISED_BYTES - 1 : RAISED_BYTES);
}

TVMQ_INLINE void raise_s16(const struct steps *s, int i, const void *in, vec x[]) {
  (void)s;
  load_s16(in, x);
  UNROLL for (int v = 0; v < 4; v++) x[v] = MM(slli_epi32)(x[v], i == 0 ? RAISED_S16 - 1 : RAISED_S16);
}

TVMQ_INLINE vec rescaled(enum steps_way way, const struct tvmq_short_stage *short_stage, const struct tvmq_stage *stage, vec x, vec multiplier, vec shift) {
  if (way == LONG) return tvmq_long_rescale(stage, x, multiplier, shift);
  return tvmq_short_rescale(short_stage, TVMQ_PATH_SHORT, tvmq_short_bias(TVMQ_PATH_SHORT, x));
}

TVMQ_INLINE vec steps_scaled(const struct steps *s, enum steps_way way, vec x) {
  return way == EQUAL ? MM(srai_epi32)(x, 1) : rescaled(way, &s->short_in, &s->in, x, s->in_multiplier, s->in_shift);
}

TVMQ_INLINE vec steps_sum(enum sign sign, vec x, vec y) {
  return sign == PLUS ? MM(add_epi32)(x, y) : sign == LESS_SECOND ? MM(sub_epi32)(x, y) : MM(sub_epi32)(y, x);
}

TVMQ_INLINE vec steps_value(const struct steps *s, enum steps_way way, vec x) {
  return rescaled(way, &s->short_out, &s->out, x, s->out_multiplier, s->out_shift);
}

TVMQ_INLINE void lower_bytes(const struct steps *s, const vec x[], void *out) {
  vec value[4];
  UNROLL for (int v = 0; v < 4; v++) value[v] = vec_xor(clamped(x[v], s->min, s->max), s->flip);
  store_s8(out, value);
}

TVMQ_INLINE void lower_s16(const struct steps *s, const vec x[], void *out) {
  vec value[4];
  UNROLL for (int v = 0; v < 4; v++) value[v] = clamped(x[v], s->min, s->max);
  store_s16(out, value);
}

#include "kernels/add_template.h"
