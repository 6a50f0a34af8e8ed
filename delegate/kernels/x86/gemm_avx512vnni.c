// GEMM on AVX-512 VNNI: mr rows x nr = 16, 32 or 64 channels, four depths a step.
//
// Tile: mr x nr / 16 accumulators. Reads: each row four bytes at a time, broadcast; one group of nr x 4 weights, 64-byte vectors. k is a multiple of 4.
// The operand of the rows is unsigned (a_offset 128): vpdpbusd multiplies unsigned by signed bytes.
//
// Registers (6x64): zmm0-23 accumulators, four of weights, one or two of rows; the flip is a memory operand or a register. 7x64, for maps of 7x7 and 14x14:
// zmm0-27 accumulators, three of weights, one of a row; the fourth vector of weights and the flip are memory operands.
// Hazards: vpdpbusd does not saturate. As an intrinsic gcc 12 spills the accumulators of the large tiles; as an instruction it does not.
#include <immintrin.h>
#include <string.h>

#include "kernels/x86/fetch_x86.h"
#include "kernels/x86/store_avx512.h"

TVMQ_INLINE void dot(__m512i *acc, __m512i rows, __m512i weights) { __asm__("vpdpbusd %2, %1, %0" : "+v"(*acc) : "v"(rows), "v"(weights)); }

typedef int32_t four_bytes __attribute__((aligned(1), may_alias));

// Multiplies a row of a tile that leaves registers for three vectors of weights and one of the row. Assembly, because
// compilers would begin a row before the previous one is done.
TVMQ_INLINE void dot_row(__m512i *acc, const char *x, bool flips, const __m512i *flip, const __m512i *w, const int8_t *weights) {
#define DOTS "vpdpbusd %[w0], %[row], %[a0]\n\tvpdpbusd %[w1], %[row], %[a1]\n\tvpdpbusd %[w2], %[row], %[a2]\n\tvpdpbusd %[w3], %[row], %[a3]"
  __m512i row;
  if (flips)
    __asm__("vpbroadcastd %[x], %[row]\n\tvpxord %[flip], %[row], %[row]\n\t" DOTS
            : [row] "=&v"(row), [a0] "+v"(acc[0]), [a1] "+v"(acc[1]), [a2] "+v"(acc[2]), [a3] "+v"(acc[3])
            : [x] "m"(*(const four_bytes *)x), [flip] "m"(*flip), [w0] "v"(w[0]), [w1] "v"(w[1]), [w2] "v"(w[2]), [w3] "m"(*(const __m512i *)weights));
  else
    __asm__("vpbroadcastd %[x], %[row]\n\t" DOTS
            : [row] "=&v"(row), [a0] "+v"(acc[0]), [a1] "+v"(acc[1]), [a2] "+v"(acc[2]), [a3] "+v"(acc[3])
            : [x] "m"(*(const four_bytes *)x), [w0] "v"(w[0]), [w1] "v"(w[1]), [w2] "v"(w[2]), [w3] "m"(*(const __m512i *)weights));
#undef DOTS
}

enum { MAX_ROWS = 16, MAX_VECTORS = 4, MAX_ACCUMULATORS = 28, REGISTERS = 32 };

// Loads the bias. Accumulators: acc[m * nv + v] for row m and vector v; only the first `used` vectors of a row are
// computed. Integer arguments are compile-time constants in every inlined function.
TVMQ_INLINE void load_bias(const int32_t *bias, const int32_t *row_terms, int mr, int nv, int used, __m512i *acc, enum tvmq_path path) {
  UNROLL for (int v = 0; v < used; v++) {
    const __m512i b = tvmq_short_bias(path, _mm512_loadu_si512(bias + 16 * v));
    UNROLL for (int m = 0; m < mr; m++) acc[m * nv + v] = _mm512_add_epi32(b, _mm512_set1_epi32(row_terms[m]));
  }
}

TVMQ_INLINE void multiply(const struct tvmq_gemm_args *args, const void *const *rows, const int8_t *weights, bool flips, int mr, int nv, int used,
                          struct tvmq_fetch *next, __m512i *acc) {
  const __m512i flip = _mm512_set1_epi8((int8_t)args->in_flip);
  const int loaded = mr * used + used < REGISTERS ? used : used - 1;  // vectors of weights in registers, besides one of a row
  for (size_t t = 0; t < args->n_taps; t++, rows += mr) {
    const char *x[MAX_ROWS];
    UNROLL for (int m = 0; m < mr; m++) x[m] = rows[m];
    for (size_t k = 0; k < args->k; k += 4, weights += 64 * nv) {
      __m512i w[MAX_VECTORS];
      if (mr > 1) tvmq_fetch(next);
      UNROLL for (int v = 0; mr == 1 && v < nv; v++) _mm_prefetch((const char *)weights + TVMQ_FETCH_AHEAD + 64 * v, _MM_HINT_T0);
      UNROLL for (int v = 0; v < loaded; v++) w[v] = _mm512_loadu_si512(weights + 64 * v);
      UNROLL for (int m = 0; m < mr; m++) {
        if (loaded < used) {
          dot_row(&acc[m * nv], x[m] + k, flips, &flip, w, weights + 64 * loaded);
          continue;
        }
        int32_t four;
        memcpy(&four, x[m] + k, sizeof four);
        __m512i row = _mm512_set1_epi32(four);
        if (flips) row = _mm512_xor_si512(row, flip);
        UNROLL for (int v = 0; v < used; v++) dot(&acc[m * nv + v], row, w[v]);
      }
    }
  }
}

TVMQ_INLINE void gemm(const struct tvmq_gemm_args *args, bool flips, int mr, int nv, int used, enum tvmq_path path) {
  const int32_t *bias = args->panel;
  const int8_t *weights = (const int8_t *)(bias + 16 * nv);
  const int32_t *multiplier = (const int32_t *)(weights + args->n_taps * args->k * 16 * (size_t)nv), *shift = multiplier + 16 * nv;
  const struct tvmq_stage stage = *args->stage;
  struct tvmq_short_stage short_stage[MAX_VECTORS];
  UNROLL for (int v = 0; path != TVMQ_PATH_LONG && v < used; v++) short_stage[v] =
      tvmq_short_stage_make(&stage, path, _mm512_loadu_si512(multiplier + 16 * v), _mm512_loadu_si512(shift + 16 * v));

  const __mmask64 wanted = tvmq_first_channels(args->wanted);
  // Packs four vectors at once: rows of `used` vectors, or one row of four vectors if there are too few rows or `used`
  // is 3. `wanted` masks the vectors that are then duplicates.
  const int row_vectors = used == 3 || mr * used < MAX_VECTORS ? MAX_VECTORS : used, store_rows = MAX_VECTORS / row_vectors;
  struct tvmq_fetch next = tvmq_fetch_next(args, shift + 16 * nv, (size_t)(64 * nv));
  uint8_t *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++, out += (size_t)mr * args->out_stride) {
    __m512i acc[MAX_ACCUMULATORS];
    if (tile == TVMQ_FETCH_TILES) next.step = 0;
    load_bias(bias, args->row_terms + tile * (size_t)mr, mr, nv, used, acc, path);
    multiply(args, args->rows + tile * args->n_taps * (size_t)mr, weights, flips, mr, nv, used, &next, acc);
    UNROLL for (int m = 0; m < mr; m += store_rows) {
      const int first = m + store_rows <= mr ? m : mr - store_rows;  // the last group begins earlier if store_rows does not divide mr
      __m512i value[MAX_VECTORS];
      UNROLL for (int i = 0; i < MAX_VECTORS; i++) {
        const int v = i % row_vectors % used;
        const __m512i a = acc[(first + i / row_vectors) * nv + v];
        value[i] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&short_stage[v], path, a)
                                          : tvmq_long_rescale(&stage, a, _mm512_loadu_si512(multiplier + 16 * v), _mm512_loadu_si512(shift + 16 * v));
      }
      tvmq_store_channels(&stage, path, value, row_vectors, wanted, out + (size_t)first * args->out_stride, args->out_stride);
    }
  }
}

// One body per combination of flip and path of the output stage, both of which are decided once per call.
#define BODIES(MR, NR, USED)                                                  \
  do {                                                                        \
    const enum tvmq_path path = tvmq_gemm_path(args, NR, 1);                  \
    if (args->in_flip != 0)                                                   \
      TVMQ_FOR_PATH_OR_SUMS(path, gemm, args, true, MR, NR / 16, USED / 16);  \
    else                                                                      \
      TVMQ_FOR_PATH_OR_SUMS(path, gemm, args, false, MR, NR / 16, USED / 16); \
  } while (0)

// Defines one function for each number of used vectors: gcc allocates fewer registers if more bodies share a function.
#define PART(MR, NR, USED) \
  static void gemm_##MR##x##USED##_of_##NR(const struct tvmq_gemm_args *args) { BODIES(MR, NR, USED); }
#define KERNEL(MR, NR, ...)                                                          \
  void tvmq_gemm_s8_##MR##x##NR##c4__avx512vnni(const struct tvmq_gemm_args *args) { \
    static const tvmq_gemm_fn parts[] = {__VA_ARGS__};                               \
    parts[(args->wanted - 1) / TVMQ_NARROWING](args);                                \
  }
#define KERNEL_X32(MR) PART(MR, 32, 16) PART(MR, 32, 32) KERNEL(MR, 32, gemm_##MR##x16_of_32, gemm_##MR##x32_of_32)
#define KERNEL_X64(MR) \
  PART(MR, 64, 16)     \
  PART(MR, 64, 32) PART(MR, 64, 48) PART(MR, 64, 64) KERNEL(MR, 64, gemm_##MR##x16_of_64, gemm_##MR##x32_of_64, gemm_##MR##x48_of_64, gemm_##MR##x64_of_64)

KERNEL_X64(1)
KERNEL_X64(6)
KERNEL_X64(7)
KERNEL_X32(12)
void tvmq_gemm_s8_16x16c4__avx512vnni(const struct tvmq_gemm_args *args) { BODIES(16, 16, 16); }
