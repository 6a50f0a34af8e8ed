// What the gemm kernels of the three Arm instruction sets share: a tile of 16 accumulators in v16 to v31, whose sums are one statement of inline assembly, and
// the loop over tiles.
//
// Assembly, for three reasons. Not every compiler keeps 16 accumulators and their operands in registers. In-order cores need each load well before its use. And
// the loop reads ahead as C cannot: registers always hold the weights that come next, from one tap to the next too. Behind the last ones lie the multipliers,
// so that nothing outside the panel is read.
#pragma once

#include "inline.h"
#include "requant_neon.h"

// One tile's state: `acc` as the assembly leaves v16 to v31, then what its output stage needs.
struct tvmq_neon_tile {
  const void *const *rows;  // of the next tile
  const int32_t *terms;     // of this tile
  int32x4_t acc[16];
  const int32_t *params;  // multipliers, then shifts
};

// The statement: `text` with the operands that every tile has. It advances %[rows] by a tile and leaves %[weights] at the multipliers. `clobbers` are the
// registers besides x8 to x11 and flags.
#define TVMQ_NEON_SUMS(tile, args, text, ...)                                                                                                               \
  do {                                                                                                                                                      \
    register int32x4_t c0 __asm__("v16"), c1 __asm__("v17"), c2 __asm__("v18"), c3 __asm__("v19"), c4 __asm__("v20"), c5 __asm__("v21"), c6 __asm__("v22"), \
        c7 __asm__("v23"), c8 __asm__("v24"), c9 __asm__("v25"), c10 __asm__("v26"), c11 __asm__("v27"), c12 __asm__("v28"), c13 __asm__("v29"),            \
        c14 __asm__("v30"), c15 __asm__("v31");                                                                                                             \
    const void *weights = (args)->panel;                                                                                                                    \
    __asm__ volatile(text                                                                                                                                   \
                     : [rows] "+r"((tile)->rows), [weights] "+r"(weights), "=&w"(c0), "=&w"(c1), "=&w"(c2), "=&w"(c3), "=&w"(c4), "=&w"(c5), "=&w"(c6),     \
                       "=&w"(c7), "=&w"(c8), "=&w"(c9), "=&w"(c10), "=&w"(c11), "=&w"(c12), "=&w"(c13), "=&w"(c14), "=&w"(c15)                              \
                     : [k] "r"((args)->k), [taps] "r"((args)->n_taps), [terms] "r"((tile)->terms), [flip] "r"((uint32_t)(args)->in_flip)                    \
                     : "x8", "x9", "x10", "x11", "cc", "memory", __VA_ARGS__);                                                                              \
    const int32x4_t c[16] = {c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15};                                                         \
    for (int i = 0; i < 16; i++) (tile)->acc[i] = c[i];                                                                                                     \
    (tile)->params = weights;                                                                                                                               \
  } while (0)

// Output of a 4x16 tile whose accumulators are in the order of the rows.
TVMQ_INLINE void tvmq_neon_store_4x16(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const int32_t *params, const int32x4_t *acc, int8_t *out,
                                      size_t out_stride) {
  const int32x4_t multiplier[4] = {vld1q_s32(params), vld1q_s32(params + 4), vld1q_s32(params + 8), vld1q_s32(params + 12)};
  const int32x4_t shift[4] = {vld1q_s32(params + 16), vld1q_s32(params + 20), vld1q_s32(params + 24), vld1q_s32(params + 28)};
  for (size_t m = 0; m < 4; m++) vst1q_s8(out + m * out_stride, tvmq_neon_requantize(path, stage, acc + 4 * m, multiplier, shift));
}

// Output of an 8x8 tile whose accumulators are in the order of the rows.
TVMQ_INLINE void tvmq_neon_store_8x8(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const int32_t *params, const int32x4_t *acc, int8_t *out,
                                     size_t out_stride) {
  const int32x4_t multiplier[4] = {vld1q_s32(params), vld1q_s32(params + 4), vld1q_s32(params), vld1q_s32(params + 4)};
  const int32x4_t shift[4] = {vld1q_s32(params + 8), vld1q_s32(params + 12), vld1q_s32(params + 8), vld1q_s32(params + 12)};
  for (size_t m = 0; m < 8; m += 2) {
    const int8x16_t two_rows = tvmq_neon_requantize(path, stage, acc + 2 * m, multiplier, shift);
    vst1_s8(out + m * out_stride, vget_low_s8(two_rows));
    vst1_s8(out + (m + 1) * out_stride, vget_high_s8(two_rows));
  }
}

// STORE(path, stage, params, acc, ...) with the path as a constant. The compiler is told nothing of where its operands come from: else it shares what paths
// have in common, and a branch splits what could be scheduled together, or what is shared does not fit the registers. The statements differ by a comment
// because compilers share equal ones too, at the end as well as at the beginning.
#define TVMQ_NEON_STORE(path, STORE, stage, tile, ...)                                          \
  do {                                                                                          \
    const struct tvmq_stage *s_ = stage;                                                        \
    struct tvmq_neon_tile t_ = *(tile);                                                         \
    __asm__ volatile("// " #path : "+r"(s_), "+r"(t_.params));                                  \
    TVMQ_NEON_OPAQUE(path, t_.acc, "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23");     \
    TVMQ_NEON_OPAQUE(path, t_.acc + 8, "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"); \
    const struct tvmq_neon_stage vectors_ = tvmq_neon_stage(path, s_);                          \
    STORE(path, &vectors_, t_.params, t_.acc, __VA_ARGS__);                                     \
    __asm__ volatile("// " #path " ends");                                                      \
  } while (0)
// Eight accumulators, kept in the registers where the sums left them: else some paths begin by moving them.
#define TVMQ_NEON_OPAQUE(path, v, r0, r1, r2, r3, r4, r5, r6, r7)                                                                                   \
  do {                                                                                                                                              \
    register int32x4_t a0 __asm__(r0) = (v)[0], a1 __asm__(r1) = (v)[1], a2 __asm__(r2) = (v)[2], a3 __asm__(r3) = (v)[3], a4 __asm__(r4) = (v)[4], \
                          a5 __asm__(r5) = (v)[5], a6 __asm__(r6) = (v)[6], a7 __asm__(r7) = (v)[7];                                                \
    __asm__ volatile("// " #path : "+w"(a0), "+w"(a1), "+w"(a2), "+w"(a3), "+w"(a4), "+w"(a5), "+w"(a6), "+w"(a7));                                 \
    (v)[0] = a0, (v)[1] = a1, (v)[2] = a2, (v)[3] = a3, (v)[4] = a4, (v)[5] = a5, (v)[6] = a6, (v)[7] = a7;                                         \
  } while (0)

// The kernel `symbol` of MR rows. The statement SUMS computes the sums of one `tile` of the arguments `a`, STORE(path, stage, params, acc, out, out_stride) its
// output. The arguments are copied first: after the assembly, which may write memory for all the compiler knows, they would be loaded again. Likely paths come
// first.
#define TVMQ_NEON_GEMM_OF(symbol, MR, SUMS, STORE)                                                  \
  void symbol(const struct tvmq_gemm_args *args) {                                                  \
    const struct tvmq_gemm_args a = *args;                                                          \
    const enum tvmq_neon_path path = tvmq_neon_path(a.stage);                                       \
    struct tvmq_neon_tile tile = {.rows = a.rows, .terms = a.row_terms};                            \
    int8_t *out = a.out;                                                                            \
    for (size_t left = a.row_tiles; left > 0; left--, tile.terms += MR, out += MR * a.out_stride) { \
      SUMS;                                                                                         \
      TVMQ_NEON_FOR_PATH(path, TVMQ_NEON_STORE, STORE, a.stage, &tile, out, a.out_stride);          \
    }                                                                                               \
  }

// The same of a kernel that flips: SUMS(tile, args) computes the sums of plain input bytes, SUMS_FLIPPED those of flipped ones.
#define TVMQ_NEON_GEMM(symbol, MR, SUMS, SUMS_FLIPPED, STORE) TVMQ_NEON_GEMM_OF(symbol, MR, TVMQ_NEON_EITHER(&tile, &a, SUMS, SUMS_FLIPPED), STORE)
#define TVMQ_NEON_EITHER(tile, args, SUMS, SUMS_FLIPPED) \
  do {                                                   \
    if ((args)->in_flip)                                 \
      SUMS_FLIPPED(tile, args);                          \
    else                                                 \
      SUMS(tile, args);                                  \
  } while (0)
