// The common part of the gemm kernels of three Arm instruction sets: a tile of 16 accumulators in v16 to v31, summed by one statement of inline assembly, and
// the loop over tiles.
//
// Assembly, for three reasons. Not every compiler keeps 16 accumulators and their operands in registers. In-order cores need each load well before its use. And
// the loop reads ahead as C cannot: registers always hold the weights that come next, from one tap to the next too. Behind the last ones lie the multipliers,
// so that nothing outside the panel is read.
#pragma once

#include "base/inline.h"
#include "kernels/arm64/stage_neon.h"

// One tile besides its accumulators.
struct tvmq_neon_tile {
  const void *const *rows;  // of this tile, and after the sums of the next
  const void *weights;      // the panel, and after the sums what lies behind the weights: multipliers, then shifts
  const int32_t *terms;     // so too, or NULL
  size_t offset;            // TVMQ_LINES: from a tap's first row of all to its first row in this tile
  int8_t *out;
};

// The accumulators: variables in v16 to v31, as an array, and as operands that a statement writes, or reads and writes. gcc allows 30 operands, of which those
// count twice, and takes four vectors as one; clang does neither.
#if defined(__clang__)
#define TVMQ_NEON_ACCUMULATORS                                                                                                                            \
  register int32x4_t c0 __asm__("v16"), c1 __asm__("v17"), c2 __asm__("v18"), c3 __asm__("v19"), c4 __asm__("v20"), c5 __asm__("v21"), c6 __asm__("v22"), \
      c7 __asm__("v23"), c8 __asm__("v24"), c9 __asm__("v25"), c10 __asm__("v26"), c11 __asm__("v27"), c12 __asm__("v28"), c13 __asm__("v29"),            \
      c14 __asm__("v30"), c15 __asm__("v31")
#define TVMQ_NEON_ARRAY {c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15}
#define TVMQ_NEON_OPERANDS(how) \
  how(c0), how(c1), how(c2), how(c3), how(c4), how(c5), how(c6), how(c7), how(c8), how(c9), how(c10), how(c11), how(c12), how(c13), how(c14), how(c15)
#else
#define TVMQ_NEON_ACCUMULATORS register int32x4x4_t c0 __asm__("v16"), c1 __asm__("v20"), c2 __asm__("v24"), c3 __asm__("v28")
#define TVMQ_NEON_ARRAY                                                                    \
  {c0.val[0], c0.val[1], c0.val[2], c0.val[3], c1.val[0], c1.val[1], c1.val[2], c1.val[3], \
   c2.val[0], c2.val[1], c2.val[2], c2.val[3], c3.val[0], c3.val[1], c3.val[2], c3.val[3]}
#define TVMQ_NEON_OPERANDS(how) how(c0), how(c1), how(c2), how(c3)
#endif
#define TVMQ_NEON_WRITTEN(c) "=&w"(c)
#define TVMQ_NEON_CHANGED(c) "+w"(c)

// Begins the accumulators of a tile: `text` loads them from %[biases] on.
#define TVMQ_NEON_BEGIN(pointer, text) __asm__ volatile(text : TVMQ_NEON_OPERANDS(TVMQ_NEON_WRITTEN) : [biases] "r"(pointer) : "memory")

// The sums: `text` with the operands that every tile has. It finds in the accumulators what they begin with, and adds the row terms unless %[terms] is NULL. It
// advances %[rows] and %[terms] by a tile and leaves %[weights] behind the weights. What all tiles have in common is loaded from the arguments, k to x12:
// operands would take registers from the loop over tiles, which then moves and reloads its own. `clobbers` are the registers besides x8 to x12 and flags.
#define TVMQ_NEON_TILE_SUMS(arguments, tile, text, ...)                                                                                          \
  __asm__ volatile("ldr x12, [%[args], %[k]]\n" text                                                                                             \
                   : [rows] "+r"((tile).rows), [terms] "+r"((tile).terms), [weights] "+r"((tile).weights), TVMQ_NEON_OPERANDS(TVMQ_NEON_CHANGED) \
                   : [args] "r"(arguments), TVMQ_NEON_ARGUMENT(k), TVMQ_NEON_ARGUMENT(n_taps)                                                    \
                   : "x8", "x9", "x10", "x11", "x12", "cc", "memory", __VA_ARGS__)
#define TVMQ_NEON_ARGUMENT(name) [name] "i"(offsetof(struct tvmq_gemm_args, name))

// The same for kernels of lines. x13 has the distance of rows, x15 points at the next tap's pointer.
#define TVMQ_NEON_LINE_SUMS(arguments, tile, text, ...)                                                                                               \
  __asm__ volatile("ldr x15, [%[args], %[rows]]\nldr x12, [%[args], %[k]]\nldr x13, [%[args], %[row_stride]]\n" text                                  \
                   : [terms] "+r"((tile).terms), [weights] "+r"((tile).weights), TVMQ_NEON_OPERANDS(TVMQ_NEON_CHANGED)                                \
                   : [args] "r"(arguments), [offset] "r"((tile).offset), TVMQ_NEON_ARGUMENT(rows), TVMQ_NEON_ARGUMENT(k), TVMQ_NEON_ARGUMENT(n_taps), \
                     TVMQ_NEON_ARGUMENT(row_stride)                                                                                                   \
                   : "x8", "x9", "x10", "x11", "x12", "x13", "x15", "cc", "memory", __VA_ARGS__)
#define TVMQ_NEON_POINTERS_4  \
  "ldr x0, [x15], #8\n"       \
  "add x0, x0, %[offset]\n"   \
  "add x1, x0, x13\n"         \
  "add x2, x0, x13, lsl #1\n" \
  "add x3, x1, x13, lsl #1\n"
#define TVMQ_NEON_POINTERS_8  \
  TVMQ_NEON_POINTERS_4        \
  "add x4, x0, x13, lsl #2\n" \
  "add x5, x1, x13, lsl #2\n" \
  "add x6, x2, x13, lsl #2\n" \
  "add x7, x3, x13, lsl #2\n"

// Loads the row pointers of a tap from the row table, to x0-x3 or x0-x7.
#define TVMQ_NEON_TABLE_POINTERS_4 \
  "ldp x0, x1, [%[rows]]\n"        \
  "ldp x2, x3, [%[rows], #16]\n"   \
  "add %[rows], %[rows], #32\n"
#define TVMQ_NEON_TABLE_POINTERS_8 \
  "ldp x0, x1, [%[rows]]\n"        \
  "ldp x2, x3, [%[rows], #16]\n"   \
  "ldp x4, x5, [%[rows], #32]\n"   \
  "ldp x6, x7, [%[rows], #48]\n"   \
  "add %[rows], %[rows], #64\n"

// The loop over the taps and depths of a tile. POINTERS sets the row pointers of a tap, FIRST_ROWS loads its first
// sixteen depths. BEGIN and SIXTEEN compute sixteen depths, whose weights take `bytes`, and load the next rows from
// offset x8 on. After the last sixteen they load the present rows again. REST computes the remaining depths of a tap.
// x9 is scratch, x10 counts taps, x11 is the depths of a tap in whole sixteens, x12 all of them.
#define TVMQ_NEON_DEPTHS(START, POINTERS, FIRST_ROWS, BEGIN, SIXTEEN, bytes, REST) \
  START                                                                            \
  "and x11, x12, #-16\n"                                                           \
  "ldr x10, [%[args], %[n_taps]]\n"                                                \
  "1:\n" POINTERS "mov x8, #0\n"                                                   \
  "cbz x11, 3f\n" FIRST_ROWS "2:\n" BEGIN "add x9, x8, #16\n"                      \
  "cmp x9, x11\n"                                                                  \
  "csel x8, x9, x8, lo\n" SIXTEEN "add %[weights], %[weights], #" bytes "\n"       \
  "b.lo 2b\n"                                                                      \
  "3:\n" REST "5: subs x10, x10, #1\n"                                             \
  "b.ne 1b\n"

// The eight or four depths behind the sixteens, if k has them: LOAD loads the rows, EIGHT or FOUR computes the depths,
// whose weights take `bytes`.
#define TVMQ_NEON_EIGHT_DEPTHS(LOAD, EIGHT, bytes) "tbz x12, #3, 4f\n" LOAD EIGHT "add %[weights], %[weights], #" bytes "\n4:\n"
#define TVMQ_NEON_FOUR_DEPTHS(LOAD, FOUR, bytes) "tbz x12, #2, 5f\n" LOAD FOUR "add %[weights], %[weights], #" bytes "\n"

// Tiles whose accumulators are in the order of the rows: how they begin, and what adds the row terms, for which v0 to v7 (4x16: v3) are free.
// clang-format off
#define TVMQ_NEON_BIAS(acc, offset) "ldr q" #acc ", [%[biases], #" #offset "]\n"
#define TVMQ_NEON_BIASES_4(a, b, c, d) TVMQ_NEON_BIAS(a, 0) TVMQ_NEON_BIAS(b, 16) TVMQ_NEON_BIAS(c, 32) TVMQ_NEON_BIAS(d, 48)
#define TVMQ_NEON_BIASES_2(a, b, c, d) TVMQ_NEON_BIAS(a, 0) TVMQ_NEON_BIAS(b, 16) TVMQ_NEON_BIAS(c, 0) TVMQ_NEON_BIAS(d, 16)
#define TVMQ_NEON_BIASES(FOUR) FOUR(16, 17, 18, 19) FOUR(20, 21, 22, 23) FOUR(24, 25, 26, 27) FOUR(28, 29, 30, 31)
#define TVMQ_NEON_BIASES_4X16 TVMQ_NEON_BIASES(TVMQ_NEON_BIASES_4)
#define TVMQ_NEON_BIASES_8X8 TVMQ_NEON_BIASES(TVMQ_NEON_BIASES_2)

#define TVMQ_NEON_PLUS(acc, term) "add v" #acc ".4s, v" #acc ".4s, v" #term ".4s\n"
#define TVMQ_NEON_PLUS_2(a, b, term) TVMQ_NEON_PLUS(a, term) TVMQ_NEON_PLUS(b, term)
#define TVMQ_NEON_PLUS_4(a, b, c, d, term) TVMQ_NEON_PLUS_2(a, b, term) TVMQ_NEON_PLUS_2(c, d, term)
#define TVMQ_NEON_TERMS_4X16                                              \
  "cbz %[terms], 1f\n"                                                    \
  "ld4r {v0.4s, v1.4s, v2.4s, v3.4s}, [%[terms]], #16\n"                  \
  TVMQ_NEON_PLUS_4(16, 17, 18, 19, 0) TVMQ_NEON_PLUS_4(20, 21, 22, 23, 1) \
  TVMQ_NEON_PLUS_4(24, 25, 26, 27, 2) TVMQ_NEON_PLUS_4(28, 29, 30, 31, 3) \
  "1:\n"
#define TVMQ_NEON_TERMS_8X8                                            \
  "cbz %[terms], 1f\n"                                                 \
  "ld4r {v0.4s, v1.4s, v2.4s, v3.4s}, [%[terms]], #16\n"               \
  "ld4r {v4.4s, v5.4s, v6.4s, v7.4s}, [%[terms]], #16\n"               \
  TVMQ_NEON_PLUS_2(16, 17, 0) TVMQ_NEON_PLUS_2(18, 19, 1)              \
  TVMQ_NEON_PLUS_2(20, 21, 2) TVMQ_NEON_PLUS_2(22, 23, 3)              \
  TVMQ_NEON_PLUS_2(24, 25, 4) TVMQ_NEON_PLUS_2(26, 27, 5)              \
  TVMQ_NEON_PLUS_2(28, 29, 6) TVMQ_NEON_PLUS_2(30, 31, 7)              \
  "1:\n"
// clang-format on

// Output of a 4x16 tile whose accumulators are in the order of the rows.
TVMQ_INLINE void tvmq_neon_store_4x16(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const int32_t *params, const int32x4_t *acc, int8_t *out,
                                      size_t out_stride) {
  if (path == TVMQ_NEON_SUMS) {
    UNROLL for (size_t m = 0; m < 4; m++) tvmq_neon_store_sums(out + m * out_stride, acc + 4 * m, 4);
    return;
  }
  const int32x4_t multiplier[4] = {vld1q_s32(params), vld1q_s32(params + 4), vld1q_s32(params + 8), vld1q_s32(params + 12)};
  const int32x4_t shift[4] = {vld1q_s32(params + 16), vld1q_s32(params + 20), vld1q_s32(params + 24), vld1q_s32(params + 28)};
  vst1q_s8(out, tvmq_neon_requantize(path, stage, acc, multiplier, shift));
  vst1q_s8(out + out_stride, tvmq_neon_requantize(path, stage, acc + 4, multiplier, shift));
  vst1q_s8(out + 2 * out_stride, tvmq_neon_requantize(path, stage, acc + 8, multiplier, shift));
  vst1q_s8(out + 3 * out_stride, tvmq_neon_requantize(path, stage, acc + 12, multiplier, shift));
}

// Output of an 8x8 tile whose accumulators are in the order of the rows. Compilers that unroll a loop too late would keep the accumulators in memory, too.
TVMQ_INLINE void tvmq_neon_store_2x8(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const int32x4_t *multiplier, const int32x4_t *shift,
                                     const int32x4_t *acc, int8_t *out, size_t out_stride) {
  const int8x16_t two_rows = tvmq_neon_requantize(path, stage, acc, multiplier, shift);
  vst1_s8(out, vget_low_s8(two_rows));
  vst1_s8(out + out_stride, vget_high_s8(two_rows));
}

TVMQ_INLINE void tvmq_neon_store_8x8(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const int32_t *params, const int32x4_t *acc, int8_t *out,
                                     size_t out_stride) {
  if (path == TVMQ_NEON_SUMS) {
    UNROLL for (size_t m = 0; m < 8; m++) tvmq_neon_store_sums(out + m * out_stride, acc + 2 * m, 2);
    return;
  }
  const int32x4_t multiplier[4] = {vld1q_s32(params), vld1q_s32(params + 4), vld1q_s32(params), vld1q_s32(params + 4)};
  const int32x4_t shift[4] = {vld1q_s32(params + 8), vld1q_s32(params + 12), vld1q_s32(params + 8), vld1q_s32(params + 12)};
  tvmq_neon_store_2x8(path, stage, multiplier, shift, acc, out, out_stride);
  tvmq_neon_store_2x8(path, stage, multiplier, shift, acc + 4, out + 2 * out_stride, out_stride);
  tvmq_neon_store_2x8(path, stage, multiplier, shift, acc + 8, out + 4 * out_stride, out_stride);
  tvmq_neon_store_2x8(path, stage, multiplier, shift, acc + 12, out + 6 * out_stride, out_stride);
}

// STORE(path, stage, params, acc, ...) with the path as a constant. The compiler is told nothing of where its operands come from: else it shares what paths
// have in common, and a branch splits what could be scheduled together, or what is shared does not fit the registers. The statements differ by a comment
// because compilers share equal ones too, at the end as well as at the beginning. The variables end before the last statement: gcc takes it that assembly reads
// every variable that lives, and would store the accumulators and all of the stage to the stack.
#define TVMQ_NEON_STORE(path, STORE, stage, params, ...)                                            \
  do {                                                                                              \
    const struct tvmq_stage *s_ = stage;                                                            \
    const void *params_ = params;                                                                   \
    __asm__ volatile("// " #path : "+r"(s_), "+r"(params_), TVMQ_NEON_OPERANDS(TVMQ_NEON_CHANGED)); \
    {                                                                                               \
      const struct tvmq_neon_stage vectors_ = tvmq_neon_stage(path, s_);                            \
      const int32x4_t acc_[16] = TVMQ_NEON_ARRAY;                                                   \
      STORE(path, &vectors_, params_, acc_, __VA_ARGS__);                                           \
    }                                                                                               \
    __asm__ volatile("// " #path " ends");                                                          \
  } while (0)

// The output stage of a panel in fused form for accumulators in the order of the rows, all in assembly: a compiler would copy the addends from register to
// register for each row. NARROW is sqxtn or sqxtun. Kinds of instructions come one after the other, since in-order cores finish them in order: what takes
// less time waits for what takes more. The last row's addends go where the first accumulators were.
// clang-format off
#define TVMQ_NEON_PARAM(v, offset) "ldr q" #v ", [%[params], #" #offset "]\n"
#define TVMQ_NEON_PARAMS_2(a, b, from) TVMQ_NEON_PARAM(a, from) TVMQ_NEON_PARAM(b, from + 16)
#define TVMQ_NEON_PARAMS_4(a, b, c, d, from) TVMQ_NEON_PARAMS_2(a, b, from) TVMQ_NEON_PARAMS_2(c, d, from + 32)
#define TVMQ_NEON_LINE(to, acc, slope) "fmls v" #to ".4s, v" #acc ".4s, v" #slope ".4s\n"
#define TVMQ_NEON_LINE_2(a, b, acc_a, acc_b) TVMQ_NEON_LINE(a, acc_a, 0) TVMQ_NEON_LINE(b, acc_b, 1)
#define TVMQ_NEON_LINE_4(a, b, c, d, acc_a, acc_b, acc_c, acc_d) \
  TVMQ_NEON_LINE_2(a, b, acc_a, acc_b) TVMQ_NEON_LINE(c, acc_c, 2) TVMQ_NEON_LINE(d, acc_d, 3)
#define TVMQ_NEON_LOWEST(a, b) "uzp1 v" #a ".8h, v" #a ".8h, v" #b ".8h\n"
#define TVMQ_NEON_LOW(NARROW, a) NARROW " v" #a ".8b, v" #a ".8h\n"
#define TVMQ_NEON_HIGH(NARROW, a, b) NARROW "2 v" #a ".16b, v" #b ".8h\n"
#define TVMQ_NEON_FUSED_4X16(NARROW)                                                                                                              \
  TVMQ_NEON_PARAMS_4(0, 1, 2, 3, 0)                                                                                                               \
  TVMQ_NEON_PARAMS_4(4, 5, 6, 7, 64) TVMQ_NEON_PARAMS_4(8, 9, 10, 11, 64) TVMQ_NEON_PARAMS_4(12, 13, 14, 15, 64)                                  \
  TVMQ_NEON_LINE_4(4, 5, 6, 7, 16, 17, 18, 19) TVMQ_NEON_LINE_4(8, 9, 10, 11, 20, 21, 22, 23) TVMQ_NEON_LINE_4(12, 13, 14, 15, 24, 25, 26, 27)    \
  TVMQ_NEON_PARAMS_4(16, 17, 18, 19, 64)                                                                                                          \
  TVMQ_NEON_LINE_4(16, 17, 18, 19, 28, 29, 30, 31)                                                                                                \
  TVMQ_NEON_LOWEST(4, 5) TVMQ_NEON_LOWEST(6, 7) TVMQ_NEON_LOWEST(8, 9) TVMQ_NEON_LOWEST(10, 11) TVMQ_NEON_LOWEST(12, 13) TVMQ_NEON_LOWEST(14, 15) \
  TVMQ_NEON_LOW(NARROW, 4) TVMQ_NEON_LOW(NARROW, 8) TVMQ_NEON_LOW(NARROW, 12)                                                                     \
  TVMQ_NEON_LOWEST(16, 17) TVMQ_NEON_LOWEST(18, 19)                                                                                               \
  TVMQ_NEON_HIGH(NARROW, 4, 6) TVMQ_NEON_HIGH(NARROW, 8, 10) TVMQ_NEON_HIGH(NARROW, 12, 14)                                                       \
  TVMQ_NEON_LOW(NARROW, 16) TVMQ_NEON_HIGH(NARROW, 16, 18)                                                                                        \
  "str q4, [%[out]]\n"                                                                                                                            \
  "str q8, [%[out], %[stride]]\n"                                                                                                                 \
  "str q12, [%[out_2]]\n"                                                                                                                         \
  "str q16, [%[out_2], %[stride]]\n"
#define TVMQ_NEON_FUSED_8X8(NARROW)                                                                                           \
  TVMQ_NEON_PARAMS_4(0, 1, 2, 3, 0) TVMQ_NEON_PARAMS_2(4, 5, 32) TVMQ_NEON_PARAMS_2(6, 7, 32) TVMQ_NEON_PARAMS_2(8, 9, 32)    \
  TVMQ_NEON_PARAMS_2(10, 11, 32) TVMQ_NEON_PARAMS_2(12, 13, 32) TVMQ_NEON_PARAMS_2(14, 15, 32)                                \
  TVMQ_NEON_LINE_2(2, 3, 16, 17) TVMQ_NEON_LINE_2(4, 5, 18, 19) TVMQ_NEON_LINE_2(6, 7, 20, 21) TVMQ_NEON_LINE_2(8, 9, 22, 23) \
  TVMQ_NEON_LINE_2(10, 11, 24, 25) TVMQ_NEON_LINE_2(12, 13, 26, 27) TVMQ_NEON_LINE_2(14, 15, 28, 29)                          \
  TVMQ_NEON_PARAMS_2(16, 17, 32)                                                                                              \
  TVMQ_NEON_LINE_2(16, 17, 30, 31)                                                                                            \
  TVMQ_NEON_LOWEST(2, 3) TVMQ_NEON_LOWEST(4, 5) TVMQ_NEON_LOWEST(6, 7) TVMQ_NEON_LOWEST(8, 9) TVMQ_NEON_LOWEST(10, 11)        \
  TVMQ_NEON_LOWEST(12, 13) TVMQ_NEON_LOWEST(14, 15)                                                                           \
  TVMQ_NEON_LOW(NARROW, 2) TVMQ_NEON_LOW(NARROW, 4) TVMQ_NEON_LOW(NARROW, 6) TVMQ_NEON_LOW(NARROW, 8)                         \
  TVMQ_NEON_LOWEST(16, 17)                                                                                                    \
  TVMQ_NEON_LOW(NARROW, 10) TVMQ_NEON_LOW(NARROW, 12) TVMQ_NEON_LOW(NARROW, 14) TVMQ_NEON_LOW(NARROW, 16)                     \
  "str d2, [%[out]]\n"                                                                                                        \
  "str d4, [%[out], %[stride]]\n"                                                                                             \
  "str d6, [%[out_2]]\n"                                                                                                      \
  "str d8, [%[out_2], %[stride]]\n"                                                                                           \
  "str d10, [%[out_4]]\n"                                                                                                     \
  "str d12, [%[out_4], %[stride]]\n"                                                                                          \
  "str d14, [%[out_6]]\n"                                                                                                     \
  "str d16, [%[out_6], %[stride]]\n"
// clang-format on
#define TVMQ_NEON_STORE_FUSED(text, parameters, to, out_stride, ...)                                \
  __asm__ volatile(text                                                                             \
                   : TVMQ_NEON_OPERANDS(TVMQ_NEON_CHANGED)                                          \
                   : [params] "r"(parameters), [out] "r"(to), [stride] "r"(out_stride), __VA_ARGS__ \
                   : "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15")
#define TVMQ_NEON_OUT(n, to, out_stride) [out_##n] "r"((to) + (n) * (out_stride))

// The shapes of tiles in the order of the rows, as the macros of kernels below take them: by a name, to which they append what they want. BIASES is what a
// tile's accumulators begin with, loaded from FIRST on, which the loop has as `first`; STORE and FUSED compute the output by what lies at PARAMS.
#define TVMQ_NEON_4X16_ROWS 4
#define TVMQ_NEON_4X16_CHANNELS 16
#define TVMQ_NEON_4X16_BIASES TVMQ_NEON_BIASES_4X16
#define TVMQ_NEON_4X16_FIRST(args) (args).panel
#define TVMQ_NEON_4X16_PARAMS(first, tile) (tile).weights
#define TVMQ_NEON_4X16_STORE tvmq_neon_store_4x16
#define TVMQ_NEON_4X16_FUSED(path, NARROW, params, tile, args) \
  TVMQ_NEON_STORE_FUSED(TVMQ_NEON_FUSED_4X16(NARROW), params, (tile).out, (args)->out_stride, TVMQ_NEON_OUT(2, (tile).out, (args)->out_stride))
#define TVMQ_NEON_8X8_ROWS 8
#define TVMQ_NEON_8X8_CHANNELS 8
#define TVMQ_NEON_8X8_BIASES TVMQ_NEON_BIASES_8X8
#define TVMQ_NEON_8X8_FIRST(args) (args).panel
#define TVMQ_NEON_8X8_PARAMS(first, tile) (tile).weights
#define TVMQ_NEON_8X8_STORE tvmq_neon_store_8x8
#define TVMQ_NEON_8X8_FUSED(path, NARROW, params, tile, args)                                                                                  \
  TVMQ_NEON_STORE_FUSED(TVMQ_NEON_FUSED_8X8(NARROW), params, (tile).out, (args)->out_stride, TVMQ_NEON_OUT(2, (tile).out, (args)->out_stride), \
                        TVMQ_NEON_OUT(4, (tile).out, (args)->out_stride), TVMQ_NEON_OUT(6, (tile).out, (args)->out_stride))

// A tile's output, and then the next tile's accumulators: in the same block of code, so that loads and arithmetic go side by side.
#define TVMQ_NEON_STORE_AND_BEGIN(path, SHAPE, first, tile, args)                                                       \
  do {                                                                                                                  \
    if ((path) == TVMQ_NEON_S8_FUSED)                                                                                   \
      SHAPE##_FUSED(path, "sqxtn", SHAPE##_PARAMS(first, tile), tile, args);                                            \
    else if ((path) == TVMQ_NEON_U8_FUSED)                                                                              \
      SHAPE##_FUSED(path, "sqxtun", SHAPE##_PARAMS(first, tile), tile, args);                                           \
    else                                                                                                                \
      TVMQ_NEON_STORE(path, SHAPE##_STORE, (args)->stage, SHAPE##_PARAMS(first, tile), (tile).out, (args)->out_stride); \
    TVMQ_NEON_BEGIN(first, "// " #path "\n" SHAPE##_BIASES);                                                            \
  } while (0)

// The first tile of kernels that find rows by a table.
TVMQ_INLINE struct tvmq_neon_tile tvmq_neon_first_tile(const struct tvmq_gemm_args *args) {
  return (struct tvmq_neon_tile){.rows = args->rows, .terms = args->no_row_terms ? NULL : args->row_terms, .out = args->out};
}

// A panel's multipliers, behind its weights.
TVMQ_INLINE const int32_t *tvmq_neon_multipliers(const struct tvmq_gemm_args *args, size_t nr) {
  return (const int32_t *)((const char *)args->panel + (sizeof(int32_t) + args->n_taps * args->k) * nr);
}

// The kernel `symbol` of tiles of a shape, whose output stage takes `panel_path`. The statement SUMS computes the sums of `tile` of the arguments `args`. The
// arguments are copied for what follows the assembly, which may write memory for all the compiler knows: they would be loaded again. Likely paths come first.
#define TVMQ_NEON_GEMM_OF(symbol, SHAPE, panel_path, SUMS)                                       \
  void symbol(const struct tvmq_gemm_args *args) {                                               \
    const struct tvmq_gemm_args a = *args;                                                       \
    const enum tvmq_neon_path path = panel_path;                                                 \
    struct tvmq_neon_tile tile = tvmq_neon_first_tile(&a);                                       \
    const void *const first = SHAPE##_FIRST(a);                                                  \
    TVMQ_NEON_ACCUMULATORS;                                                                      \
    TVMQ_NEON_BEGIN(first, SHAPE##_BIASES);                                                      \
    for (size_t left = a.row_tiles; left > 0; left--, tile.out += SHAPE##_ROWS * a.out_stride) { \
      tile.weights = a.panel;                                                                    \
      SUMS;                                                                                      \
      TVMQ_NEON_FOR_PANEL_PATH_OR_SUMS(path, TVMQ_NEON_STORE_AND_BEGIN, SHAPE, first, tile, &a); \
    }                                                                                            \
  }

// The same of a kernel with TVMQ_FUSED_STAGE, and one that flips besides: SUMS(args, tile) computes the sums of plain input bytes, SUMS_FLIPPED those of
// flipped ones.
#define TVMQ_NEON_PLAIN_GEMM(symbol, SHAPE, SUMS) \
  TVMQ_NEON_GEMM_OF(symbol, SHAPE, tvmq_neon_panel_path(a.stage, tvmq_neon_multipliers(&a, SHAPE##_CHANNELS)), SUMS)
#define TVMQ_NEON_GEMM(symbol, SHAPE, SUMS, SUMS_FLIPPED) TVMQ_NEON_PLAIN_GEMM(symbol, SHAPE, TVMQ_NEON_EITHER(args, tile, SUMS, SUMS_FLIPPED))
#define TVMQ_NEON_EITHER(args, tile, SUMS, SUMS_FLIPPED) \
  do {                                                   \
    if ((args)->in_flip)                                 \
      SUMS_FLIPPED(args, tile);                          \
    else                                                 \
      SUMS(args, tile);                                  \
  } while (0)

// Moves a tile of lines back, so that it shares its first rows with the one before.
TVMQ_INLINE void tvmq_neon_move_back(struct tvmq_neon_tile *tile, const struct tvmq_gemm_args *args, size_t n_rows) {
  tile->offset -= n_rows * args->row_stride;
  tile->out -= n_rows * args->out_stride;
  if (tile->terms) tile->terms -= n_rows;
}

// The kernel of lines `symbol`; the rest as above. The last tile of a line ends with its last row.
#define TVMQ_NEON_LINES(symbol, SHAPE, SUMS, SUMS_FLIPPED)                                                                                          \
  void symbol(const struct tvmq_gemm_args *args) {                                                                                                  \
    struct tvmq_gemm_args a = *args;                                                                                                                \
    const size_t n_rows = a.row_tiles * SHAPE##_ROWS - a.overlap, panel_out = SHAPE##_CHANNELS * tvmq_stored_bytes(a.stage);                        \
    for (size_t left = a.n_panels; left > 0; left--, a.panel = (const char *)a.panel + a.panel_bytes, a.out = (char *)a.out + panel_out) {          \
      const enum tvmq_neon_path path = tvmq_neon_panel_path(a.stage, tvmq_neon_multipliers(&a, SHAPE##_CHANNELS));                                  \
      const void *const first = SHAPE##_FIRST(a);                                                                                                   \
      TVMQ_NEON_ACCUMULATORS;                                                                                                                       \
      TVMQ_NEON_BEGIN(first, SHAPE##_BIASES);                                                                                                       \
      for (size_t line = 0; line < a.n_lines; line++) {                                                                                             \
        struct tvmq_neon_tile tile = {.offset = line * a.line_stride, .out = (int8_t *)a.out + line * a.out_line_stride};                           \
        tile.terms = a.row_terms ? a.row_terms + line * n_rows : NULL;                                                                              \
        for (size_t tiles = a.row_tiles; tiles > 0; tiles--, tile.offset += SHAPE##_ROWS * a.row_stride, tile.out += SHAPE##_ROWS * a.out_stride) { \
          if (tiles == 1) tvmq_neon_move_back(&tile, &a, a.overlap);                                                                                \
          tile.weights = a.panel;                                                                                                                   \
          TVMQ_NEON_EITHER(args, tile, SUMS, SUMS_FLIPPED);                                                                                         \
          TVMQ_NEON_FOR_PANEL_PATH_OR_SUMS(path, TVMQ_NEON_STORE_AND_BEGIN, SHAPE, first, tile, &a);                                                \
        }                                                                                                                                           \
      }                                                                                                                                             \
    }                                                                                                                                               \
  }
