// Output of Winograd tiles on AVX2: eight channels of four pixels at a time pass through the output stage.
#include "kernels/stage_avx2.h"

struct finisher {
  __m256i bias, multiplier, shift;
  struct tvmq_short_stage stage;
};

#define LANES 8
#define PATH_SUMS TVMQ_PATH_SUMS
#include "kernels/winograd_output_template.h"

TVMQ_INLINE __m256i load(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

TVMQ_INLINE struct finisher make_finisher(const struct tvmq_winograd_output_args *args, size_t n, int path) {
  struct finisher f = {.bias = load(args->bias + n), .multiplier = load(args->multiplier + n), .shift = load(args->shift + n)};
  if (path == TVMQ_PATH_LONG) return f;
  f.bias = tvmq_short_bias(path, f.bias);
  f.stage = tvmq_short_stage_make(args->stage, path, f.multiplier, f.shift);
  return f;
}

TVMQ_INLINE void finish(const struct tvmq_winograd_output_args *args, const struct finisher *f, int path, const sums *acc, size_t count, uint8_t *out) {
  __m256i value[TVMQ_WINOGRAD_OUTPUTS];
  UNROLL for (size_t i = 0; i < TVMQ_WINOGRAD_OUTPUTS; i++) {
    if (i >= count) {
      value[i] = value[0];  // goes nowhere
      continue;
    }
    const __m256i sum = _mm256_add_epi32((__m256i)acc[i], f->bias);
    value[i] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&f->stage, path, sum) : tvmq_long_rescale(args->stage, sum, f->multiplier, f->shift);
  }
  const __m256i bytes = _mm256_permutevar8x32_epi32(tvmq_pack_lanes(args->stage, path, value), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  const __m128i half[2] = {_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)};
  UNROLL for (size_t i = 0; i < count; i++) {
    const int64_t pixel = i % 2 ? _mm_extract_epi64(half[i / 2], 1) : _mm_cvtsi128_si64(half[i / 2]);
    memcpy(out + i * args->out_col_stride, &pixel, sizeof pixel);
  }
}

void tvmq_winograd_output_s8_8c__avx2(const struct tvmq_winograd_output_args *args) {
  TVMQ_FOR_PATH_OR_SUMS(tvmq_panel_path(args->stage, args->multiplier), finish_tiles, args);
}
