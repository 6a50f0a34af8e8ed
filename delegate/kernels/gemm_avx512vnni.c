// GEMM on AVX-512 VNNI: mr rows x nr = 16, 32 or 64 channels, four depths a step.
//
// Tile: mr x nr / 16 accumulators. Reads: each row four bytes at a time, broadcast; one group of nr x 4 weights, 64-byte vectors. k is a multiple of 4.
// The operand of the rows is unsigned (a_offset 128): vpdpbusd multiplies unsigned by signed bytes.
//
// Registers (6x64): zmm0-23 accumulators, four of weights, one or two of rows; the flip is a memory operand or a register.
// Hazards: vpdpbusd does not saturate. As an intrinsic gcc 12 spills the accumulators of the large tiles; as an instruction it does not.
#include <immintrin.h>
#include <string.h>

#include "requant_avx512.h"

TVMQ_INLINE void dot(__m512i *acc, __m512i rows, __m512i weights) { __asm__("vpdpbusd %2, %1, %0" : "+v"(*acc) : "v"(rows), "v"(weights)); }

enum { MAX_ROWS = 16, MAX_VECTORS = 4, MAX_ACCUMULATORS = 24 };

// Row m, vector v of the accumulators is acc[m * nv + v]; mr and nv are constants wherever these functions are inlined.
TVMQ_INLINE void load_bias(const int32_t *bias, const int32_t *row_terms, bool is_short, int mr, int nv, __m512i *acc) {
  UNROLL for (int v = 0; v < nv; v++) {
    __m512i b = _mm512_loadu_si512(bias + 16 * v);
    if (is_short) b = _mm512_xor_si512(b, _mm512_set1_epi32(INT32_MIN));
    UNROLL for (int m = 0; m < mr; m++) acc[m * nv + v] = _mm512_add_epi32(b, _mm512_set1_epi32(row_terms[m]));
  }
}

TVMQ_INLINE void multiply(const struct tvmq_gemm_args *args, const void *const *rows, const int8_t *weights, bool flips, int mr, int nv, __m512i *acc) {
  const __m512i flip = _mm512_set1_epi8((int8_t)args->in_flip);
  for (size_t t = 0; t < args->n_taps; t++, rows += mr) {
    const char *x[MAX_ROWS];
    UNROLL for (int m = 0; m < mr; m++) x[m] = rows[m];
    for (size_t k = 0; k < args->k; k += 4, weights += 64 * nv) {
      __m512i w[MAX_VECTORS];
      UNROLL for (int v = 0; v < nv; v++) w[v] = _mm512_loadu_si512(weights + 64 * v);
      UNROLL for (int m = 0; m < mr; m++) {
        int32_t four;
        memcpy(&four, x[m] + k, sizeof four);
        __m512i row = _mm512_set1_epi32(four);
        if (flips) row = _mm512_xor_si512(row, flip);
        UNROLL for (int v = 0; v < nv; v++) dot(&acc[m * nv + v], row, w[v]);
      }
    }
  }
}

// One row of 16 * nv values, zero point included.
TVMQ_INLINE void store(const struct tvmq_stage *stage, const __m512i *value, int nv, uint8_t *out) {
  if (nv == 4) {
    const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    _mm512_storeu_si512(out, _mm512_permutexvar_epi32(order, tvmq_pack_lanes(stage, value)));
    return;
  }
  UNROLL for (int v = 0; v < nv; v++) _mm_storeu_si128((__m128i *)(out + 16 * v), tvmq_pack(stage, value[v]));
}

TVMQ_INLINE void gemm(const struct tvmq_gemm_args *args, bool flips, bool is_short, int mr, int nv) {
  const int32_t *bias = args->panel;
  const int8_t *weights = (const int8_t *)(bias + 16 * nv);
  const int32_t *multiplier = (const int32_t *)(weights + args->n_taps * args->k * 16 * (size_t)nv), *shift = multiplier + 16 * nv;
  const struct tvmq_stage stage = *args->stage;
  struct tvmq_short_stage short_stage[MAX_VECTORS];
  UNROLL for (int v = 0; is_short && v < nv; v++) short_stage[v] =
      tvmq_short_stage_make(&stage, _mm512_loadu_si512(multiplier + 16 * v), _mm512_loadu_si512(shift + 16 * v));

  uint8_t *out = args->out;
  for (size_t i = 0; i < args->row_tiles; i++) {
    __m512i acc[MAX_ACCUMULATORS];
    load_bias(bias, args->row_terms + i * (size_t)mr, is_short, mr, nv, acc);
    multiply(args, args->rows + i * args->n_taps * (size_t)mr, weights, flips, mr, nv, acc);
    UNROLL for (int m = 0; m < mr; m++, out += args->out_stride) {
      __m512i value[MAX_VECTORS];
      UNROLL for (int v = 0; v < nv; v++) value[v] =
          is_short ? tvmq_short_rescale(&short_stage[v], acc[m * nv + v])
                   : tvmq_long_rescale(&stage, acc[m * nv + v], _mm512_loadu_si512(multiplier + 16 * v), _mm512_loadu_si512(shift + 16 * v));
      store(&stage, value, nv, out);
    }
  }
}

// One body per way: whether rows are flipped and which path the output stage takes is decided once a call.
#define KERNEL(MR, NR)                                                               \
  void tvmq_gemm_s8_##MR##x##NR##c4__avx512vnni(const struct tvmq_gemm_args *args) { \
    const bool flips = args->in_flip != 0;                                           \
    if (!tvmq_stage_is_short(args->stage))                                           \
      gemm(args, true, false, MR, NR / 16);                                          \
    else if (flips)                                                                  \
      gemm(args, true, true, MR, NR / 16);                                           \
    else                                                                             \
      gemm(args, false, true, MR, NR / 16);                                          \
  }

KERNEL(6, 64)
KERNEL(12, 32)
KERNEL(16, 16)
