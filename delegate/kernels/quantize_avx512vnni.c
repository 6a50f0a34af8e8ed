// Elementwise requantization and affine quantization in AVX-512 vectors.
#include "kernels/elements_avx512.h"
#include "kernels/quantize_ways.h"
#include "kernels/stage_avx512.h"

#define ISA avx512vnni
enum { STEPS = 1, BYTES = 64 };

// ---- bytes to bytes

TVMQ_INLINE void flip_bytes(uint8_t flip, const uint8_t *in, uint8_t *out) {
  _mm512_storeu_si512((vec *)out, _mm512_xor_si512(_mm512_loadu_si512((const vec *)in), _mm512_set1_epi8((char)flip)));
}

struct line {
  vec multiplier, bias, knee, drop;
  __m128i shift;
};

TVMQ_INLINE struct line line_of(const struct tvmq_quantize_args *args) {
  const struct tvmq_line *l = &args->line;
  return (struct line){_mm512_set1_epi16(l->multiplier), _mm512_set1_epi16(l->bias), _mm512_set1_epi16((int16_t)(l->knee * 256)), _mm512_set1_epi16(l->drop),
                       _mm_cvtsi32_si128(l->shift)};
}

// Times 256 x -> values.
TVMQ_INLINE vec line_values(const struct line *l, enum line_way way, vec x) {
  const vec product = _mm512_mulhrs_epi16(x, l->multiplier);
  const vec dropped = way == DROP || way == ANY ? _mm512_mask_sub_epi16(product, _mm512_cmpgt_epi16_mask(l->knee, x), product, l->drop) : product;
  const vec sum = _mm512_adds_epi16(dropped, l->bias);
  return way == ANY ? _mm512_sra_epi16(sum, l->shift) : _mm512_srai_epi16(sum, way == SEVEN ? 7 : 8);
}

TVMQ_INLINE void line_bytes(const struct line *l, enum line_way way, uint8_t in_flip, uint8_t out_flip, const uint8_t *in, uint8_t *out) {
  const vec zero = _mm512_setzero_si512(), x = _mm512_xor_si512(_mm512_loadu_si512((const vec *)in), _mm512_set1_epi8((char)in_flip));
  const vec low = line_values(l, way, _mm512_unpacklo_epi8(zero, x)), high = line_values(l, way, _mm512_unpackhi_epi8(zero, x));
  _mm512_storeu_si512((vec *)out, _mm512_xor_si512(_mm512_packs_epi16(low, high), _mm512_set1_epi8((char)out_flip)));
}

// ---- all others

struct conversion {
  struct tvmq_stage stage;
  struct tvmq_short_stage short_stage;
  vec in_zero_point, out_zero_point, out_zero_point_s16, multiplier, shift;
  __m512 scale, inverse, rest;
  __m512 doubled_inverse, doubled_rest;
};

static struct conversion conversion_of(const struct tvmq_quantize_args *args) {
  struct conversion c = {
      .stage = {.rounding = args->rounding, .zero_point = args->out_zero_point},
      .in_zero_point = _mm512_set1_epi32(args->in_zero_point),
      .out_zero_point = _mm512_set1_epi32(args->out_zero_point),
      .out_zero_point_s16 = _mm512_set1_epi16((int16_t)args->out_zero_point),
      .multiplier = _mm512_set1_epi32(args->multiplier),
      .shift = _mm512_set1_epi32(args->shift),
      .scale = _mm512_set1_ps(args->scale),
      .inverse = _mm512_set1_ps(args->inverse),
      .rest = _mm512_set1_ps(args->rest),
      .doubled_inverse = _mm512_set1_ps(2 * args->inverse),
      .doubled_rest = _mm512_set1_ps(2 * args->rest),
  };
  c.short_stage = tvmq_short_stage_make(&c.stage, TVMQ_PATH_SHORT, c.multiplier, c.shift);
  return c;
}

// Rounds half away from zero by adding the float below a half: only sums from a half on reach the next integer. Beyond int32, and of NaN, it is -2^31, as the
// definition has it on this architecture.
TVMQ_INLINE vec round_away(__m512 x) {
  const __m512 half = _mm512_set1_ps(0x0.ffffffp-1f), sign = _mm512_set1_ps(-0.0f);
  return _mm512_cvttps_epi32(_mm512_add_ps(x, _mm512_or_ps(half, _mm512_and_ps(x, sign))));
}

TVMQ_INLINE vec convert(const struct conversion *c, enum way way, vec x) {
  const __m512 real = _mm512_castsi512_ps(x);
  const vec difference = _mm512_sub_epi32(x, c->in_zero_point);
  switch (way) {
    case SHORT:
      return tvmq_short_rescale(&c->short_stage, TVMQ_PATH_SHORT, tvmq_short_bias(TVMQ_PATH_SHORT, difference));
    case MULTIPLY:
      return _mm512_add_epi32(round_away(_mm512_mul_ps(real, c->inverse)), c->out_zero_point);
    case MULTIPLY_ADD:
      return _mm512_add_epi32(round_away(_mm512_fmadd_ps(real, c->inverse, _mm512_mul_ps(real, c->rest))), c->out_zero_point);
    case DIVIDE:
      return _mm512_add_epi32(round_away(_mm512_div_ps(real, c->scale)), c->out_zero_point);
    case DOUBLE:
    case SINGLE:
    default:
      return tvmq_long_rescale(&c->stage, difference, c->multiplier, c->shift);
  }
}

TVMQ_INLINE vec doubled_quotients(const struct conversion *c, enum way way, const float *in) {
  __m512 x = _mm512_loadu_ps(in);
  __asm__("" : "+v"(x));  // compilers would load it for each product
  const __m512 doubled = way == MULTIPLY ? _mm512_mul_ps(x, c->doubled_inverse) : _mm512_fmadd_ps(x, c->doubled_inverse, _mm512_mul_ps(x, c->doubled_rest));
  return _mm512_cvttps_epi32(doubled);
}

TVMQ_INLINE void quantize_step(const struct conversion *c, enum way way, bool is_unsigned, const float *in, uint8_t *out) {
  vec value[2];
  UNROLL for (int i = 0; i < 2; i++) {
    const float *const half = in + 2 * i * LANES;
    const vec doubled = _mm512_packs_epi32(doubled_quotients(c, way, half), doubled_quotients(c, way, half + LANES));
    value[i] = _mm512_adds_epi16(_mm512_mulhrs_epi16(doubled, _mm512_set1_epi16((1 << 14) + 1)), c->out_zero_point_s16);
  }
  _mm512_storeu_si512((vec *)out, in_order(is_unsigned ? _mm512_packus_epi16(value[0], value[1]) : _mm512_packs_epi16(value[0], value[1])));
}

#include "kernels/quantize_x86.h"
