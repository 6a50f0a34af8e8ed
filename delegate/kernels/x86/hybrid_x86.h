// Hybrid convolutions, for AVX2 and AVX-512. The includer defines ISA.
//
// Minima and maxima return their second operand if one is NaN or both are zeros, so operands are in the order of the
// comparisons that define the results. Last vectors overlap those before where results stay the same.
#pragma once

#include <stdbool.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/x86/elements_x86.h"

#define PASTE(family, isa) tvmq_##family##__##isa
#define SYMBOL(family, isa) PASTE(family, isa)

enum { VECTORS = 4, WIDE = VECTORS * LANES };

// with_sign: the magnitude with the sign of x. Loads and stores of the first n lanes: the others are zeros, or keep their
// memory. Memory behind them is not touched.
#if VECTOR_BITS == 512
TVMQ_INLINE vec vec_of_f32(vec_f32 x) { return _mm512_castps_si512(x); }
TVMQ_INLINE vec_f32 with_sign(vec_f32 magnitude, vec_f32 x) {
  enum { AND_OR = 0xea };  // first & second | third
  return vec_as_f32(_mm512_ternarylogic_epi32(_mm512_set1_epi32(INT32_MIN), vec_of_f32(x), vec_of_f32(magnitude), AND_OR));
}
TVMQ_INLINE __mmask16 first_lanes(size_t n) { return (__mmask16)((1u << n) - 1); }
TVMQ_INLINE vec vec_load_first(const void *p, size_t n) { return n == LANES ? vec_load(p) : _mm512_maskz_loadu_epi32(first_lanes(n), p); }
TVMQ_INLINE void vec_store_first(void *p, size_t n, vec x) {
  if (n == LANES)
    vec_store(p, x);
  else
    _mm512_mask_storeu_epi32(p, first_lanes(n), x);
}
#else
TVMQ_INLINE vec vec_of_f32(vec_f32 x) { return _mm256_castps_si256(x); }
TVMQ_INLINE vec_f32 with_sign(vec_f32 magnitude, vec_f32 x) { return _mm256_or_ps(magnitude, _mm256_and_ps(x, _mm256_set1_ps(-0.0f))); }
TVMQ_INLINE vec first_lanes(size_t n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); }
TVMQ_INLINE vec vec_load_first(const void *p, size_t n) { return n == LANES ? vec_load(p) : _mm256_maskload_epi32(p, first_lanes(n)); }
TVMQ_INLINE void vec_store_first(void *p, size_t n, vec x) {
  if (n == LANES)
    vec_store(p, x);
  else
    _mm256_maskstore_epi32(p, first_lanes(n), x);
}
#endif

// ---- float_range

TVMQ_INLINE float lesser(float x, float y) { return x < y ? x : y; }
TVMQ_INLINE float greater(float x, float y) { return x > y ? x : y; }

// Returns the least, or the greatest, lane.
TVMQ_INLINE float extreme(vec_f32 x, bool greatest) {
  float lanes[LANES];
  MM(storeu_ps)(lanes, x);
  __m128 four = _mm_loadu_ps(lanes);
  UNROLL for (int i = 4; i < LANES; i += 4) {
    const __m128 other = _mm_loadu_ps(lanes + i);
    four = greatest ? _mm_max_ps(four, other) : _mm_min_ps(four, other);
  }
  const __m128 far = _mm_movehl_ps(four, four), two = greatest ? _mm_max_ps(four, far) : _mm_min_ps(four, far), near = _mm_shuffle_ps(two, two, 1);
  return _mm_cvtss_f32(greatest ? _mm_max_ss(two, near) : _mm_min_ss(two, near));
}

// Extends the range to `n` vectors of elements at a time, and at last to the `n` last vectors.
TVMQ_INLINE void range_by(const struct tvmq_float_range_args *args, int n) {
  const float *const last = args->in + args->n - n * LANES;
  vec_f32 low[VECTORS], high[VECTORS];
  UNROLL for (int v = 0; v < n; v++) {
    low[v] = MM(set1_ps)(*args->low);
    high[v] = MM(set1_ps)(*args->high);
  }
  for (const float *in = args->in, *next; in <= last; in = next) {
    next = in == last || in + n * LANES < last ? in + n * LANES : last;
    UNROLL for (int v = 0; v < n; v++) {
      const vec_f32 x = MM(loadu_ps)(in + v * LANES);
      low[v] = MM(min_ps)(x, low[v]);
      high[v] = MM(max_ps)(x, high[v]);
    }
  }
  UNROLL for (int v = 1; v < n; v++) {
    low[0] = MM(min_ps)(low[v], low[0]);
    high[0] = MM(max_ps)(high[v], high[0]);
  }
  *args->low = extreme(low[0], false);
  *args->high = extreme(high[0], true);
}

void SYMBOL(float_range, ISA)(const struct tvmq_float_range_args *args) {
  if (args->n >= 4 * WIDE) {
    range_by(args, VECTORS);
  } else if (args->n >= LANES) {
    range_by(args, 1);
  } else {
    for (size_t i = 0; i < args->n; i++) {
      *args->low = lesser(args->in[i], *args->low);
      *args->high = greater(args->in[i], *args->high);
    }
  }
}

// ---- float_quantize

struct rounding {
  vec_f32 inverse, before, half, max;
  vec behind, min;  // of int16 and int8
};

// Returns the constants of out = trunc(before + product + half) + behind, `half` taking the sign of the steps. With the
// largest float32 below 0.5 as `half`, truncation rounds half away from zero. With 0.5 itself, the number just below 0.5
// would round up. Integers round to themselves, so the greatest step is clamped before rounding, and cannot exceed
// int32. Negative steps that do become INT32_MIN, which saturates to the least step.
TVMQ_INLINE struct rounding rounding_of(const struct tvmq_float_quantize_args *args, bool of_sum) {
  const int32_t behind = of_sum ? 0 : args->zero_point;
  return (struct rounding){
      .inverse = MM(set1_ps)(args->inverse),
      .before = MM(set1_ps)((float)args->zero_point),
      .half = MM(set1_ps)(args->rounding == TVMQ_FLOAT_ROUNDING_HALF ? 0.5f : 0x1.fffffep-2f),
      .max = MM(set1_ps)((float)(INT8_MAX - behind)),
      .behind = MM(set1_epi16)((int16_t)behind),
      .min = MM(set1_epi8)((int8_t)args->min),
  };
}

// Returns steps without what is added behind.
TVMQ_INLINE vec steps_of(const struct rounding *r, bool of_sum, const float *in) {
  const vec_f32 product = MM(mul_ps)(MM(loadu_ps)(in), r->inverse), sum = of_sum ? MM(add_ps)(r->before, product) : product;
  const vec_f32 steps = MM(min_ps)(sum, r->max);
  return MM(cvttps_epi32)(MM(add_ps)(steps, with_sign(r->half, steps)));
}

TVMQ_INLINE void store_steps(const struct rounding *r, int8_t *out, const vec steps[VECTORS]) {
  const vec low = MM(adds_epi16)(MM(packs_epi32)(steps[0], steps[1]), r->behind), high = MM(adds_epi16)(MM(packs_epi32)(steps[2], steps[3]), r->behind);
  vec_store(out, vec_in_order(MM(max_epi8)(MM(packs_epi16)(low, high), r->min)));
}

TVMQ_INLINE void quantize_wide(const struct rounding *r, bool of_sum, const float *in, int8_t *out) {
  vec steps[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) steps[v] = steps_of(r, of_sum, in + v * LANES);
  store_steps(r, out, steps);
}

TVMQ_INLINE void quantize_lanes(const struct rounding *r, bool of_sum, const float *in, int8_t *out) {
  const vec steps = steps_of(r, of_sum, in);
  int8_t bytes[WIDE];
  store_steps(r, bytes, (const vec[]){steps, steps, steps, steps});
  memcpy(out, bytes, LANES);
}

TVMQ_INLINE void quantize(const struct tvmq_float_quantize_args *args, bool of_sum) {
  const struct rounding rounding = rounding_of(args, of_sum);
  const float *const in = args->in;
  int8_t *const out = args->out;
  const size_t n = args->n;
  if (n >= WIDE) {
    for (size_t i = 0; i + WIDE < n; i += WIDE) quantize_wide(&rounding, of_sum, in + i, out + i);
    quantize_wide(&rounding, of_sum, in + n - WIDE, out + n - WIDE);
  } else if (n >= LANES) {
    for (size_t i = 0; i + LANES < n; i += LANES) quantize_lanes(&rounding, of_sum, in + i, out + i);
    quantize_lanes(&rounding, of_sum, in + n - LANES, out + n - LANES);
  } else {
    float few[LANES] = {0};
    int8_t bytes[LANES];
    for (size_t i = 0; i < n; i++) few[i] = in[i];
    quantize_lanes(&rounding, of_sum, few, bytes);
    for (size_t i = 0; i < n; i++) out[i] = bytes[i];
  }
}

void SYMBOL(float_quantize, ISA)(const struct tvmq_float_quantize_args *args) {
  if (args->rounding == TVMQ_FLOAT_ROUNDING_OF_THE_SUM)
    quantize(args, true);
  else
    quantize(args, false);
}

// ---- float_dequantize

enum { ROWS = 8, PAIR = 2 };

// Constants of the channels of a vector.
struct channels {
  vec minus;  // zero point * sum of the weights
  vec_f32 factor, bias;
};

TVMQ_INLINE struct channels channels_of(const struct tvmq_float_dequantize_args *args, enum tvmq_real_form form, const struct tvmq_float_scale *scale,
                                        size_t first, size_t n) {
  const vec_f32 factor = vec_as_f32(vec_load_first(args->weight_scales + first, n));
  return (struct channels){
      .minus = MM(mullo_epi32)(vec_load_first(args->weight_sums + first, n), MM(set1_epi32)(scale->zero_point)),
      .factor = form == TVMQ_REAL_IN_TURN ? factor : MM(mul_ps)(factor, MM(set1_ps)(scale->scale)),
      .bias = vec_as_f32(vec_load_first(args->bias + first, n)),
  };
}

// Computes `n` channels, all lanes of `vectors` vectors or the first of one, of `rows` rows that share a scale.
TVMQ_INLINE void finish_channels(const struct tvmq_float_dequantize_args *args, enum tvmq_real_form form, const struct tvmq_float_scale *scale, size_t first,
                                 char *row, size_t rows, int vectors, size_t n) {
  const vec_f32 min = MM(set1_ps)(args->min), max = MM(set1_ps)(args->max), real_scale = MM(set1_ps)(scale->scale);
  struct channels c[PAIR];
  UNROLL for (int v = 0; v < vectors; v++) c[v] = channels_of(args, form, scale, first + (size_t)v * LANES, n);
  row += first * sizeof(float);
  for (size_t m = 0; m < rows; m++, row += args->stride * sizeof(float)) {
    UNROLL for (int v = 0; v < vectors; v++) {
      float *const at = (float *)row + v * LANES;
      const vec_f32 real = MM(cvtepi32_ps)(MM(sub_epi32)(vec_load_first(at, n), c[v].minus));
      vec_f32 value = MM(mul_ps)(real, c[v].factor);
      if (form == TVMQ_REAL_IN_TURN) value = MM(mul_ps)(value, real_scale);
      value = form == TVMQ_REAL_FUSED ? MM(fmadd_ps)(real, c[v].factor, c[v].bias) : MM(add_ps)(value, c[v].bias);
      vec_store_first(at, n, vec_of_f32(MM(min_ps)(max, MM(max_ps)(min, value))));
    }
  }
}

// Computes few rows at a time: with many rows, the channels would be spread over as many pages.
TVMQ_INLINE void finish(const struct tvmq_float_dequantize_args *call, enum tvmq_real_form form) {
  const struct tvmq_float_dequantize_args args = *call;  // copied, because the compiler must assume that stores change *call
  const size_t most = args.scale_step == 0 ? ROWS : 1;
  const struct tvmq_float_scale *scale = args.scales;
  char *row = args.sums;
  for (size_t left = args.rows, rows; left > 0; left -= rows, row += rows * args.stride * sizeof(float), scale += args.scale_step) {
    rows = left < most ? left : most;
    size_t n = 0;
    for (; n + PAIR * LANES <= args.channels; n += PAIR * LANES) finish_channels(&args, form, scale, n, row, rows, PAIR, LANES);
    for (; n + LANES <= args.channels; n += LANES) finish_channels(&args, form, scale, n, row, rows, 1, LANES);
    if (n < args.channels) finish_channels(&args, form, scale, n, row, rows, 1, args.channels - n);
  }
}

void SYMBOL(float_dequantize, ISA)(const struct tvmq_float_dequantize_args *args) {
  if (args->form == TVMQ_REAL_IN_TURN)
    finish(args, TVMQ_REAL_IN_TURN);
  else if (args->form == TVMQ_REAL_BY_BOTH)
    finish(args, TVMQ_REAL_BY_BOTH);
  else
    finish(args, TVMQ_REAL_FUSED);
}
