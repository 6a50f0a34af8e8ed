// Body of the gemm kernels for single rows and few channels. All products of a vector belong to one channel, along the
// depth; the lanes are added at the end. With VECTOR_BITS 256, the includer defines before
//   ACCUMULATORS, STEP, ROUND           vectors of sums, depths per step, steps per round
//   add_step(acc, s, x, w, flip)        step s of a round: adds the products of 16 depths of the row with four
//                                       channels' weights
//   fold_round(acc, low, high)          sums of channels 0 and 1 in the two lanes of `low`, of 2 and 3 in those of `high`
//
// Tile: 1 row x 4 channels. Reads: 16 bytes of the row, then 16 of each channel's weights. k is a multiple of 16.
#include <string.h>

#include "kernels/x86/fetch_x86.h"
#include "kernels/x86/stage_x86.h"

enum { CHANNELS = 4 };

// Adds groups of four 32-bit lanes: two channels of `low`, then two of `high`.
TVMQ_INLINE __m128i add_across(__m256i low, __m256i high) {
  const __m256i pairs = _mm256_hadd_epi32(low, high), sums = _mm256_hadd_epi32(pairs, pairs);
  return _mm_unpacklo_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
}

TVMQ_INLINE __m256i load_params(const int32_t *p) { return _mm256_zextsi128_si256(_mm_loadu_si128((const __m128i *)p)); }

TVMQ_INLINE void gemm_depth(const struct tvmq_gemm_args *args, enum tvmq_path path) {
  const int32_t *const bias = args->panel;
  const int8_t *const weights = (const int8_t *)(bias + CHANNELS);
  const int32_t *const multiplier = (const int32_t *)(weights + args->n_taps * args->k * CHANNELS), *const shift = multiplier + CHANNELS;
  const __m128i flip = _mm_set1_epi8((int8_t)args->in_flip);

  const void *const *rows = args->rows;
  uint8_t *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++, out += args->out_stride) {
    vec_sums acc[ACCUMULATORS] = {0};
    const int8_t *w = weights;
    for (size_t t = 0; t < args->n_taps; t++, rows++) {
      const int8_t *x = *rows, *const end = x + args->k;
      for (; end - x >= ROUND * STEP; x += ROUND * STEP, w += ROUND * STEP * CHANNELS) {
        UNROLL for (int i = 0; i < ROUND; i++) {
          _mm_prefetch((const char *)w + TVMQ_FETCH_AHEAD + i * STEP * CHANNELS, _MM_HINT_T0);
          add_step(acc, i, x + i * STEP, w + i * STEP * CHANNELS, flip);
        }
      }
      for (; x < end; x += STEP, w += STEP * CHANNELS) add_step(acc, 0, x, w, flip);
    }
    __m256i low, high;
    fold_round(acc, &low, &high);
    const __m128i start = _mm_add_epi32(_mm_loadu_si128((const __m128i *)bias), _mm_set1_epi32(args->row_terms[tile]));
    const __m128i sums = _mm_add_epi32(start, add_across(low, high));
    if (path == TVMQ_PATH_SUMS) {
      _mm_storeu_si128((__m128i *)out, sums);
      continue;
    }
    const struct tvmq_stage stage = *args->stage;
    // Loaded after the loops, which need the registers.
    const __m256i m = load_params(multiplier), s = load_params(shift), a = _mm256_zextsi128_si256(sums);
    const struct tvmq_short_stage short_stage = tvmq_short_stage_make(&stage, path, m, s);
    const __m256i value = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&short_stage, path, tvmq_short_bias(path, a)) : tvmq_long_rescale(&stage, a, m, s);
    const int32_t bytes = _mm256_cvtsi256_si32(tvmq_pack_lanes(&stage, path, (__m256i[]){value, value, value, value}));
    memcpy(out, &bytes, sizeof bytes);
  }
}

#define GEMM_DEPTH(SYMBOL)                                         \
  void SYMBOL(const struct tvmq_gemm_args *args) {                 \
    const enum tvmq_path path = tvmq_gemm_path(args, CHANNELS, 1); \
    TVMQ_FOR_PATH_OR_SUMS(path, gemm_depth, args);                 \
  }
