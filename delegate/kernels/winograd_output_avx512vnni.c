// Output of Winograd tiles on AVX-512: sixteen channels of four pixels at a time pass through the output stage.
#include "kernels/stage_avx512.h"

struct finisher {
  __m512i bias, multiplier, shift;
  struct tvmq_short_stage stage;
};

#define LANES 16
#define PATH_SUMS TVMQ_PATH_SUMS
#include "kernels/winograd_output_template.h"

TVMQ_INLINE struct finisher make_finisher(const struct tvmq_winograd_output_args *args, size_t n, int path) {
  struct finisher f;
  f.bias = _mm512_loadu_si512(args->bias + n);
  f.multiplier = _mm512_loadu_si512(args->multiplier + n);
  f.shift = _mm512_loadu_si512(args->shift + n);
  if (path == TVMQ_PATH_LONG) return f;
  f.bias = tvmq_short_bias(path, f.bias);
  f.stage = tvmq_short_stage_make(args->stage, path, f.multiplier, f.shift);
  return f;
}

TVMQ_INLINE void finish(const struct tvmq_winograd_output_args *args, const struct finisher *f, int path, const sums *acc, size_t count, uint8_t *out) {
  __m512i value[TVMQ_WINOGRAD_OUTPUTS];
  UNROLL for (size_t i = 0; i < TVMQ_WINOGRAD_OUTPUTS; i++) {
    if (i >= count) {
      value[i] = value[0];  // goes nowhere
      continue;
    }
    const __m512i sum = _mm512_add_epi32((__m512i)acc[i], f->bias);
    value[i] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&f->stage, path, sum) : tvmq_long_rescale(args->stage, sum, f->multiplier, f->shift);
  }
  const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
  const __m512i bytes = _mm512_permutexvar_epi32(order, tvmq_pack_lanes(args->stage, path, value));
  const __m128i pixels[] = {_mm512_castsi512_si128(bytes), _mm512_extracti32x4_epi32(bytes, 1), _mm512_extracti32x4_epi32(bytes, 2),
                            _mm512_extracti32x4_epi32(bytes, 3)};
  UNROLL for (size_t i = 0; i < count; i++) _mm_storeu_si128((__m128i *)(out + i * args->out_col_stride), pixels[i]);
}

void tvmq_winograd_output_s8_16c__avx512vnni(const struct tvmq_winograd_output_args *args) {
  TVMQ_FOR_PATH_OR_SUMS(tvmq_panel_path(args->stage, args->multiplier), finish_tiles, args);
}
