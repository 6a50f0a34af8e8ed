// GEMM on AVX-512 VNNI for lines of rows at a constant distance (TVMQ_LINES): mr rows x nr = 16 or 32 channels, four
// depths a step.
//
// Tile and registers as in gemm_avx512vnni.c. Instead of a pointer for each row, of which sixteen would be in memory,
// there is one pointer for four rows. Layers of few depths gain the most, because kernels read nothing except rows and
// weights.
#include <immintrin.h>
#include <string.h>

#include "kernels/x86/fetch_x86.h"
#include "kernels/x86/store_avx512.h"

TVMQ_INLINE void dot(__m512i *acc, __m512i rows, __m512i weights) { __asm__("vpdpbusd %2, %1, %0" : "+v"(*acc) : "v"(rows), "v"(weights)); }

enum { ROWS_PER_POINTER = 4, MAX_POINTERS = 4, STORED_VECTORS = 4, MAX_VECTORS = 2, MAX_ACCUMULATORS = 24 };

// Loads the bias. Accumulators: acc[m * used + v] for row m and vector v; only the first `used` of a panel's nv vectors
// are computed. Integer arguments are compile-time constants in every inlined function.
TVMQ_INLINE void load_bias(const int32_t *bias, const int32_t *row_terms, int mr, int used, __m512i *acc, enum tvmq_path path) {
  UNROLL for (int v = 0; v < used; v++) {
    const __m512i b = tvmq_short_bias(path, _mm512_loadu_si512(bias + 16 * v));
    UNROLL for (int m = 0; m < mr; m++) acc[m * used + v] = b;
  }
  if (!row_terms) return;
  UNROLL for (int m = 0; m < mr; m++) {
    const __m512i term = _mm512_set1_epi32(row_terms[m]);
    UNROLL for (int v = 0; v < used; v++) acc[m * used + v] = _mm512_add_epi32(acc[m * used + v], term);
  }
}

TVMQ_INLINE void multiply(const struct tvmq_gemm_args *args, size_t offset, const int8_t *weights, bool flips, int mr, int nv, int used,
                          struct tvmq_fetch *next, __m512i *acc) {
  const __m512i flip = _mm512_set1_epi8((int8_t)args->in_flip);
  const size_t stride = args->row_stride, n_taps = args->n_taps, depths = args->k;
  const int n_pointers = (mr + ROWS_PER_POINTER - 1) / ROWS_PER_POINTER;
  for (size_t t = 0; t < n_taps; t++) {
    const char *x[MAX_POINTERS];
    x[0] = (const char *)args->rows[t] + offset;
    UNROLL for (int i = 1; i < n_pointers; i++) x[i] = x[i - 1] + ROWS_PER_POINTER * stride;
    for (const int8_t *const end = weights + depths * 16 * (size_t)nv; weights < end; weights += 64 * nv) {
      __m512i w[MAX_VECTORS];
      tvmq_fetch(next);
      UNROLL for (int v = 0; v < used; v++) w[v] = _mm512_loadu_si512(weights + 64 * v);
      UNROLL for (int m = 0; m < mr; m++) {
        int32_t four;
        memcpy(&four, x[m / ROWS_PER_POINTER] + (size_t)(m % ROWS_PER_POINTER) * stride, sizeof four);
        __m512i row = _mm512_set1_epi32(four);
        if (flips) row = _mm512_xor_si512(row, flip);
        UNROLL for (int v = 0; v < used; v++) dot(&acc[m * used + v], row, w[v]);
      }
      UNROLL for (int i = 0; i < n_pointers; i++) x[i] += 4;
    }
  }
}

// The constants of the output stage for a panel.
struct outputs {
  struct tvmq_stage stage;
  const int32_t *multiplier, *shift;
  struct tvmq_short_stage short_stage[MAX_VECTORS];
};

TVMQ_INLINE void store(const struct outputs *o, const __m512i *acc, __mmask64 wanted, uint8_t *out, size_t out_stride, int mr, int used, enum tvmq_path path) {
  const int store_rows = STORED_VECTORS / used;
  UNROLL for (int m = 0; m < mr; m += store_rows, out += (size_t)store_rows * out_stride) {
    __m512i value[STORED_VECTORS];
    UNROLL for (int i = 0; i < STORED_VECTORS; i++) {
      const int v = i % used;
      const __m512i a = acc[m * used + i];
      value[i] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&o->short_stage[v], path, a)
                                        : tvmq_long_rescale(&o->stage, a, _mm512_loadu_si512(o->multiplier + 16 * v), _mm512_loadu_si512(o->shift + 16 * v));
    }
    tvmq_store_channels(&o->stage, path, value, used, wanted, out, out_stride);
  }
}

TVMQ_INLINE void multiply_panel(const struct tvmq_gemm_args *args, const char *panel, uint8_t *out, bool is_last, bool flips, int mr, int nv, int used,
                                enum tvmq_path path) {
  const int32_t *const bias = (const int32_t *)panel;
  const int8_t *const weights = (const int8_t *)(bias + 16 * nv);
  const int32_t *const multiplier = (const int32_t *)(weights + args->n_taps * args->k * 16 * (size_t)nv), *const shift = multiplier + 16 * nv;
  struct outputs o = {.stage = *args->stage, .multiplier = multiplier, .shift = shift};
  UNROLL for (int v = 0; path != TVMQ_PATH_LONG && v < used; v++) o.short_stage[v] =
      tvmq_short_stage_make(&o.stage, path, _mm512_loadu_si512(multiplier + 16 * v), _mm512_loadu_si512(shift + 16 * v));

  struct tvmq_fetch next = is_last ? (struct tvmq_fetch){panel, 0} : (struct tvmq_fetch){panel + args->panel_bytes, (size_t)(64 * nv) / TVMQ_FETCH_TILES};
  const __mmask64 wanted = tvmq_first_channels(is_last ? args->wanted : 16 * (size_t)nv);
  const size_t n_rows = args->row_tiles * (size_t)mr - args->overlap;
  const int32_t *terms = args->row_terms;
  size_t tiles = 0;
  for (size_t line = 0; line < args->n_lines; line++, out += args->out_line_stride) {
    for (size_t tile = 0; tile < args->row_tiles; tile++) {
      __m512i acc[MAX_ACCUMULATORS];
      const size_t first = tvmq_min(tile * (size_t)mr, n_rows - (size_t)mr);
      if (tiles++ == TVMQ_FETCH_TILES) next.step = 0;
      load_bias(bias, terms ? terms + first : NULL, mr, used, acc, path);
      multiply(args, line * args->line_stride + first * args->row_stride, weights, flips, mr, nv, used, &next, acc);
      store(&o, acc, wanted, out + first * args->out_stride, args->out_stride, mr, used, path);
    }
    if (terms) terms += n_rows;
  }
}

TVMQ_INLINE void gemm(const struct tvmq_gemm_args *args, bool flips, int mr, int nv) {
  const size_t multipliers = 16 * (size_t)nv * (sizeof(int32_t) + args->n_taps * args->k);
  const size_t panel_pixel = 16 * (size_t)nv * tvmq_stored_bytes(args->stage);  // bytes of an output pixel
  const char *panel = args->panel;
  uint8_t *out = args->out;
  for (size_t left = args->n_panels; left > 0; left--, panel += args->panel_bytes, out += panel_pixel) {
    const enum tvmq_path panel_path = tvmq_panel_path(args->stage, (const int32_t *)(panel + multipliers));
    if (nv > 1 && left == 1 && args->wanted <= 16 * (size_t)(nv - 1))
      TVMQ_FOR_PATH_OR_SUMS(panel_path, multiply_panel, args, panel, out, true, flips, mr, nv, nv - 1);
    else
      TVMQ_FOR_PATH_OR_SUMS(panel_path, multiply_panel, args, panel, out, left == 1, flips, mr, nv, nv);
  }
}

// One body per combination of flip and path: the flip is decided once per call, the path of the output stage once per
// panel.
#define KERNEL(MR, NR)                                                                \
  void tvmq_gemm_s8_##MR##x##NR##c4l__avx512vnni(const struct tvmq_gemm_args *args) { \
    if (args->in_flip != 0)                                                           \
      gemm(args, true, MR, NR / 16);                                                  \
    else                                                                              \
      gemm(args, false, MR, NR / 16);                                                 \
  }

KERNEL(12, 32)
KERNEL(16, 16)
