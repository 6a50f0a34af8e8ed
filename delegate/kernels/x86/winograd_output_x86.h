// Output of Winograd tiles, for AVX2 and AVX-512: four pixels of a vector of channels pass through the output stage at a
// time. The includer defines ISA, and LANES, the channels of a vector.
#pragma once

#include "kernels/x86/stage_x86.h"

struct finisher {
  vec bias, multiplier, shift;
  struct tvmq_short_stage stage;
};

#define PATH_SUMS TVMQ_PATH_SUMS
#include "kernels/winograd_output_template.h"

TVMQ_INLINE struct finisher make_finisher(const struct tvmq_winograd_output_args *args, size_t n, int path) {
  struct finisher f = {.bias = vec_load(args->bias + n), .multiplier = vec_load(args->multiplier + n), .shift = vec_load(args->shift + n)};
  if (path == TVMQ_PATH_LONG) return f;
  f.bias = tvmq_short_bias(path, f.bias);
  f.stage = tvmq_short_stage_make(args->stage, path, f.multiplier, f.shift);
  return f;
}

// Stores the first `count` of four pixels, which are consecutive in `bytes`.
TVMQ_INLINE void store_pixels(vec bytes, size_t count, uint8_t *out, size_t stride) {
#if VECTOR_BITS == 512
  const __m128i pixels[] = {_mm512_castsi512_si128(bytes), _mm512_extracti32x4_epi32(bytes, 1), _mm512_extracti32x4_epi32(bytes, 2),
                            _mm512_extracti32x4_epi32(bytes, 3)};
  UNROLL for (size_t i = 0; i < count; i++) _mm_storeu_si128((__m128i *)(out + i * stride), pixels[i]);
#else
  const __m128i half[2] = {_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)};
  UNROLL for (size_t i = 0; i < count; i++) {
    const int64_t pixel = i % 2 ? _mm_extract_epi64(half[i / 2], 1) : _mm_cvtsi128_si64(half[i / 2]);
    memcpy(out + i * stride, &pixel, sizeof pixel);
  }
#endif
}

TVMQ_INLINE void finish(const struct tvmq_winograd_output_args *args, const struct finisher *f, int path, const sums *acc, size_t count, uint8_t *out) {
  vec value[TVMQ_WINOGRAD_OUTPUTS];
  UNROLL for (size_t i = 0; i < TVMQ_WINOGRAD_OUTPUTS; i++) {
    if (i >= count) {
      value[i] = value[0];  // is not stored
      continue;
    }
    const vec sum = MM(add_epi32)((vec)acc[i], f->bias);
    value[i] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&f->stage, path, sum) : tvmq_long_rescale(args->stage, sum, f->multiplier, f->shift);
  }
  store_pixels(vec_in_order(tvmq_pack_lanes(args->stage, path, value)), count, out, args->out_col_stride);
}

#define PASTE(channels, isa) tvmq_winograd_output_s8_##channels##c__##isa
#define SYMBOL(channels, isa) PASTE(channels, isa)

void SYMBOL(LANES, ISA)(const struct tvmq_winograd_output_args *args) {
  TVMQ_FOR_PATH_OR_SUMS(tvmq_panel_path(args->stage, args->multiplier), finish_tiles, args);
}
