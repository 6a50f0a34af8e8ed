// Elementwise requantization and affine quantization, for AVX2 and AVX-512. The includer defines ISA.
//
// Float32 is converted to bytes in 16 bits if that is exact. The doubled quotient is truncated, so that ties are odd.
// One instruction, a rounding multiplication by 2^14 + 1, halves it and rounds away from zero. If a conversion is
// invalid it gives -2^31, and the result after saturation differs from the definition. The processor sets the flag for
// invalid operations, and convert() computes all elements from that block on.
#pragma once

#include "kernels/kernel.h"
#include "kernels/quantize_ways.h"
#include "kernels/x86/elements_x86.h"
#include "kernels/x86/stage_x86.h"

enum { STEPS = 1, BYTES = sizeof(vec) };

// ---- bytes to bytes

TVMQ_INLINE void flip_bytes(uint8_t flip, const uint8_t *in, uint8_t *out) { vec_store(out, vec_xor(vec_load(in), MM(set1_epi8)((char)flip))); }

struct line {
  vec multiplier, bias, knee, drop;
  __m128i shift;
};

TVMQ_INLINE struct line line_of(const struct tvmq_quantize_args *args) {
  const struct tvmq_line *l = &args->line;
  return (struct line){MM(set1_epi16)(l->multiplier), MM(set1_epi16)(l->bias), MM(set1_epi16)((int16_t)(l->knee * 256)), MM(set1_epi16)(l->drop),
                       _mm_cvtsi32_si128(l->shift)};
}

// Computes a line's values from x * 256.
TVMQ_INLINE vec line_values(const struct line *l, enum line_way way, vec x) {
  const vec product = MM(mulhrs_epi16)(x, l->multiplier);
  const vec dropped = way == DROP || way == ANY ? vec_subtract_where_greater(product, l->drop, l->knee, x) : product;
  const vec sum = MM(adds_epi16)(dropped, l->bias);
  return way == ANY ? MM(sra_epi16)(sum, l->shift) : MM(srai_epi16)(sum, way == SEVEN ? 7 : 8);
}

TVMQ_INLINE void line_bytes(const struct line *l, enum line_way way, uint8_t in_flip, uint8_t out_flip, const uint8_t *in, uint8_t *out) {
  const vec zero = (vec){0}, x = vec_xor(vec_load(in), MM(set1_epi8)((char)in_flip));
  const vec low = line_values(l, way, MM(unpacklo_epi8)(zero, x)), high = line_values(l, way, MM(unpackhi_epi8)(zero, x));
  vec_store(out, vec_xor(MM(packs_epi16)(low, high), MM(set1_epi8)((char)out_flip)));
}

// ---- all others

struct conversion {
  struct tvmq_stage stage;
  struct tvmq_short_stage short_stage;
  vec in_zero_point, out_zero_point, out_zero_point_s16, multiplier, shift;
  vec_f32 scale, inverse, rest;
  vec_f32 doubled_inverse, doubled_rest;
};

static struct conversion conversion_of(const struct tvmq_quantize_args *args) {
  struct conversion c = {
      .stage = {.rounding = args->rounding, .zero_point = args->out_zero_point},
      .in_zero_point = MM(set1_epi32)(args->in_zero_point),
      .out_zero_point = MM(set1_epi32)(args->out_zero_point),
      .out_zero_point_s16 = MM(set1_epi16)((int16_t)args->out_zero_point),
      .multiplier = MM(set1_epi32)(args->multiplier),
      .shift = MM(set1_epi32)(args->shift),
      .scale = MM(set1_ps)(args->scale),
      .inverse = MM(set1_ps)(args->inverse),
      .rest = MM(set1_ps)(args->rest),
      .doubled_inverse = MM(set1_ps)(2 * args->inverse),
      .doubled_rest = MM(set1_ps)(2 * args->rest),
  };
  c.short_stage = tvmq_short_stage_make(&c.stage, TVMQ_PATH_SHORT, c.multiplier, c.shift);
  return c;
}

// Rounds half away from zero by adding the largest float below a half: only sums with a fraction of at least a half
// reach the next integer. Gives -2^31 for NaN and beyond int32, as defined for this architecture.
TVMQ_INLINE vec round_away(vec_f32 x) {
  const vec_f32 half = MM(set1_ps)(0x0.ffffffp-1f), sign = MM(set1_ps)(-0.0f);
  return MM(cvttps_epi32)(MM(add_ps)(x, MM(or_ps)(half, MM(and_ps)(x, sign))));
}

TVMQ_INLINE vec convert(const struct conversion *c, enum way way, vec x) {
  const vec_f32 real = vec_as_f32(x);
  const vec difference = MM(sub_epi32)(x, c->in_zero_point);
  switch (way) {
    case SHORT:
      return tvmq_short_rescale(&c->short_stage, TVMQ_PATH_SHORT, tvmq_short_bias(TVMQ_PATH_SHORT, difference));
    case MULTIPLY:
      return MM(add_epi32)(round_away(MM(mul_ps)(real, c->inverse)), c->out_zero_point);
    case MULTIPLY_ADD:
      return MM(add_epi32)(round_away(MM(fmadd_ps)(real, c->inverse, MM(mul_ps)(real, c->rest))), c->out_zero_point);
    case DIVIDE:
      return MM(add_epi32)(round_away(MM(div_ps)(real, c->scale)), c->out_zero_point);
    case DOUBLE:
    case SINGLE:
    default:
      return tvmq_long_rescale(&c->stage, difference, c->multiplier, c->shift);
  }
}

TVMQ_INLINE vec doubled_quotients(const struct conversion *c, enum way way, const float *in) {
  vec_f32 x = MM(loadu_ps)(in);
  __asm__("" : "+v"(x));  // otherwise compilers load x again for each product
  const vec_f32 doubled = way == MULTIPLY ? MM(mul_ps)(x, c->doubled_inverse) : MM(fmadd_ps)(x, c->doubled_inverse, MM(mul_ps)(x, c->doubled_rest));
  return MM(cvttps_epi32)(doubled);
}

TVMQ_INLINE void quantize_step(const struct conversion *c, enum way way, bool is_unsigned, const float *in, uint8_t *out) {
  vec value[2];
  UNROLL for (int i = 0; i < 2; i++) {
    const float *const half = in + 2 * i * LANES;
    const vec doubled = MM(packs_epi32)(doubled_quotients(c, way, half), doubled_quotients(c, way, half + LANES));
    value[i] = MM(adds_epi16)(MM(mulhrs_epi16)(doubled, MM(set1_epi16)((1 << 14) + 1)), c->out_zero_point_s16);
  }
  vec_store(out, vec_in_order(is_unsigned ? MM(packus_epi16)(value[0], value[1]) : MM(packs_epi16)(value[0], value[1])));
}

TVMQ_INLINE bool is_short(const struct tvmq_quantize_args *args, size_t in_bytes) { return in_bytes <= 2 && tvmq_quantize_headroom(args); }

// Returns whether an operation was invalid since the last call, and clears the flag. Earlier stores are not moved after
// the call.
TVMQ_INLINE bool take_invalid(void) {
  __asm__ volatile("" : : : "memory");
  const unsigned status = _mm_getcsr();
  if (status & _MM_EXCEPT_INVALID) _mm_setcsr(status & ~(unsigned)_MM_EXCEPT_INVALID);
  __asm__ volatile("" : : : "memory");
  return status & _MM_EXCEPT_INVALID;
}

TVMQ_INLINE size_t quantize_blocks(const struct tvmq_quantize_args *args, enum way way, bool is_unsigned) {
  enum { BLOCK = 4096 };  // elements between two checks of the flag
  const struct conversion c = conversion_of(args);
  const float *const in = args->in;
  uint8_t *const out = args->out;
  const size_t n = args->n - args->n % BYTES;
  const bool invalid_before = take_invalid();
  bool invalid = false;
  size_t done = 0;
  while (done < n && !invalid) {
    const size_t end = tvmq_min(done + BLOCK, n);
    for (size_t i = done; i < end; i += BYTES) quantize_step(&c, way, is_unsigned, in + i, out + i);
    invalid = take_invalid();
    if (!invalid) done = end;
  }
  if (invalid_before || invalid) _mm_setcsr(_mm_getcsr() | _MM_EXCEPT_INVALID);
  return done;
}

TVMQ_INLINE size_t quantize_vectors(const struct tvmq_quantize_args *args, enum tvmq_type type) {
  const bool is_unsigned = type == TVMQ_TYPE_U8;
  if (type == TVMQ_TYPE_S16 || !(args->inverse > 0)) return 0;
  return args->rest > 0 ? quantize_blocks(args, MULTIPLY_ADD, is_unsigned) : quantize_blocks(args, MULTIPLY, is_unsigned);
}

#include "kernels/quantize_template.h"
