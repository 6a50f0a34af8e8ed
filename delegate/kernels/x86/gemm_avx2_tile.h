// Body of the gemm kernels in 256-bit vectors. The includer defines
//   MULTIPLY_ADD    text of the instructions that add the dot products of %1 and %2, in each 32-bit lane, to %0
//   TEMPORARIES     number of further registers that MULTIPLY_ADD needs
//   OPERAND_BYTES   bytes of an element of the rows; four bytes are multiplied at a time
//
// Tile: mr rows, 6 or a smaller even number, x 16 channels. Reads: each row four bytes at a time, broadcast; one group of 16 channels, two vectors of weights.
// A tap's bytes are a multiple of 4.
//
// Registers: ymm0-11 accumulators, two of weights, one of a row; the last is the flip or a product.
//
// Hazards: the products are assembly. With intrinsics, compilers hoist more of the products than there are registers;
// so does clang with instructions that are not volatile.
#include <immintrin.h>
#include <string.h>

#include "kernels/x86/fetch_x86.h"
#include "kernels/x86/stage_x86.h"

enum { MAX_ROWS = 6, CHANNELS = 16, VECTORS = 2, STEP_BYTES = 4, VECTOR_BYTES = 32 };

#if TEMPORARIES
TVMQ_INLINE void multiply_add(__m256i *acc, __m256i row, __m256i weights) {
  __m256i product;
  __asm__(MULTIPLY_ADD : "+x"(*acc), "=&x"(product) : "x"(row), "x"(weights));
}
#else
TVMQ_INLINE void multiply_add(__m256i *acc, __m256i row, __m256i weights) { __asm__ volatile(MULTIPLY_ADD : "+x"(*acc) : "x"(row), "x"(weights)); }
#endif

TVMQ_INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }

TVMQ_INLINE void load_bias(const int32_t *bias, const int32_t *row_terms, int mr, __m256i acc[MAX_ROWS][VECTORS], enum tvmq_path path) {
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const __m256i b = tvmq_short_bias(path, load(bias + 8 * v));
    UNROLL for (int m = 0; m < mr; m++) acc[m][v] = _mm256_add_epi32(b, _mm256_set1_epi32(row_terms[m]));
  }
}

// Multiplies one tap of the rows at x; returns the weights of the next tap.
TVMQ_INLINE const char *multiply_tap(const struct tvmq_gemm_args *args, const char *const x[MAX_ROWS], const char *weights, bool flips, int mr,
                                     struct tvmq_fetch *next, __m256i acc[MAX_ROWS][VECTORS]) {
  const __m256i flip = _mm256_set1_epi8((int8_t)args->in_flip);
  for (size_t k = 0; k < args->k * OPERAND_BYTES; k += STEP_BYTES, weights += VECTORS * VECTOR_BYTES) {
    tvmq_fetch(next);
    const __m256i w0 = load(weights), w1 = load(weights + VECTOR_BYTES);
    UNROLL for (int m = 0; m < mr; m++) {
      int32_t four;
      memcpy(&four, x[m] + k, sizeof four);
      __m256i row = _mm256_set1_epi32(four);
      // In place, because clang spills an accumulator if the flipped row has a separate register.
      if (flips) __asm__ volatile("vpxor %1, %0, %0" : "+x"(row) : "x"(flip));
      multiply_add(&acc[m][0], row, w0);
      multiply_add(&acc[m][1], row, w1);
    }
  }
  return weights;
}

TVMQ_INLINE void multiply(const struct tvmq_gemm_args *args, const void *const *rows, const char *weights, bool flips, int mr, struct tvmq_fetch *next,
                          __m256i acc[MAX_ROWS][VECTORS]) {
  for (size_t t = 0; t < args->n_taps; t++, rows += mr) {
    const char *x[MAX_ROWS];
    UNROLL for (int m = 0; m < mr; m++) x[m] = rows[m];
    weights = multiply_tap(args, x, weights, flips, mr, next, acc);
  }
}

// Stores two rows of values that include the zero point. Packing works within 128-bit lanes: the low half of each
// vector of both rows, then the high halves.
TVMQ_INLINE void store(const struct tvmq_stage *stage, enum tvmq_path path, const __m256i value[2 * VECTORS], uint8_t *out, size_t out_stride) {
  if (path == TVMQ_PATH_SUMS) {
    UNROLL for (int v = 0; v < 2 * VECTORS; v++)
        _mm256_storeu_si256((__m256i *)(out + (size_t)(v / VECTORS) * out_stride + (size_t)(v % VECTORS) * VECTOR_BYTES), value[v]);
    return;
  }
  const __m256i bytes = _mm256_permutevar8x32_epi32(tvmq_pack_lanes(stage, path, value), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(bytes));
  _mm_storeu_si128((__m128i *)(out + out_stride), _mm256_extracti128_si256(bytes, 1));
}

// The constants of the output stage for a panel.
struct outputs {
  struct tvmq_stage stage;
  const char *multiplier, *shift;
  struct tvmq_short_stage short_stage[VECTORS];
};

TVMQ_INLINE struct outputs outputs_of(const struct tvmq_gemm_args *args, const char *panel, enum tvmq_path path) {
  struct outputs o = {.stage = *args->stage, .multiplier = panel + CHANNELS * sizeof(int32_t) + args->n_taps * args->k * OPERAND_BYTES * CHANNELS};
  o.shift = o.multiplier + CHANNELS * sizeof(int32_t);
  UNROLL for (int v = 0; path != TVMQ_PATH_LONG && v < VECTORS; v++) o.short_stage[v] =
      tvmq_short_stage_make(&o.stage, path, load(o.multiplier + v * VECTOR_BYTES), load(o.shift + v * VECTOR_BYTES));
  return o;
}

TVMQ_INLINE void store_tile(const struct outputs *o, __m256i acc[MAX_ROWS][VECTORS], uint8_t *out, size_t out_stride, int mr, enum tvmq_path path) {
  UNROLL for (int m = 0; m < mr; m += 2, out += 2 * out_stride) {
    __m256i value[2 * VECTORS];
    UNROLL for (int v = 0; v < 2 * VECTORS; v++) {
      const int at = v % VECTORS;
      const __m256i a = acc[m + v / VECTORS][at];
      value[v] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&o->short_stage[at], path, a)
                                        : tvmq_long_rescale(&o->stage, a, load(o->multiplier + at * VECTOR_BYTES), load(o->shift + at * VECTOR_BYTES));
    }
    store(&o->stage, path, value, out, out_stride);
  }
}

TVMQ_INLINE void gemm(const struct tvmq_gemm_args *args, bool flips, int mr, enum tvmq_path path) {
  const char *const panel = args->panel, *const weights = panel + CHANNELS * sizeof(int32_t);
  const struct outputs o = outputs_of(args, panel, path);
  struct tvmq_fetch next = tvmq_fetch_next(args, o.shift + CHANNELS * sizeof(int32_t), VECTORS * VECTOR_BYTES);
  uint8_t *out = args->out;
  for (size_t i = 0; i < args->row_tiles; i++, out += (size_t)mr * args->out_stride) {
    __m256i acc[MAX_ROWS][VECTORS];
    if (i == TVMQ_FETCH_TILES) next.step = 0;
    load_bias((const int32_t *)panel, args->row_terms + i * (size_t)mr, mr, acc, path);
    multiply(args, args->rows + i * args->n_taps * (size_t)mr, weights, flips, mr, &next, acc);
    store_tile(&o, acc, out, args->out_stride, mr, path);
  }
}
