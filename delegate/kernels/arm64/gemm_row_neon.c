// int8 gemm of single rows for Armv8.0, without dot products, on the panels of gemm_neon.c.
#include "kernels/arm64/gemm_row_neon_tile.h"

// Sixteen depths: v0 to v3 are the row in its four rotations. Two rotations at a time are multiplied by weights of
// sixteen channels each, v4 to v11; v16 to v23 are products. Meanwhile the next weights and the next sixteen depths of
// the row are loaded. After the last weights these are the multipliers, and the last sixteen depths again.
// clang-format off
#define LOW(p, row, w) "smull v" #p ".8h, v" #row ".8b, v" #w ".8b\n"
#define HIGH(op, p, row, w, next) #op "2 v" #p ".8h, v" #row ".16b, v" #w ".16b\nldr q" #w ", [%[weights], #" #next "]\n"
#define ACC(c, p) "sadalp %[c" #c "].4s, v" #p ".8h\n"
#define ROTATED(to, row, bytes) "ext v" #to ".16b, v" #row ".16b, v" #row ".16b, #" #bytes "\n"
#define LOWS(row0, row1) \
  LOW(16, row0, 4) LOW(17, row0, 5) LOW(18, row0, 6) LOW(19, row0, 7) LOW(20, row1, 8) LOW(21, row1, 9) LOW(22, row1, 10) LOW(23, row1, 11)
#define HIGHS(op, row0, row1, next) \
  HIGH(op, 16, row0, 4, next) HIGH(op, 17, row0, 5, next + 16) HIGH(op, 18, row0, 6, next + 32) HIGH(op, 19, row0, 7, next + 48) \
  HIGH(op, 20, row1, 8, next + 64) HIGH(op, 21, row1, 9, next + 80) HIGH(op, 22, row1, 10, next + 96) HIGH(op, 23, row1, 11, next + 112)
#define ACCS(THEN) ACC(0, 16) ACC(1, 17) ACC(2, 18) ACC(3, 19) THEN ACC(0, 20) ACC(1, 21) ACC(2, 22) ACC(3, 23)

// Two products are added in int16 if they fit, else one by one.
#define PAIRS(row0, row1, next, THEN, LAST) LOWS(row0, row1) HIGHS(smlal, row0, row1, next) THEN ACCS(LAST)
#define SINGLES(row0, row1, next, THEN, LAST) LOWS(row0, row1) ACCS("") HIGHS(smull, row0, row1, next) THEN ACCS(LAST)

#define SIXTEENS(STEP)                                                                                                       \
  "ldr q0, [%[x]]\n"                                                                                                         \
  "ldp q4, q5, [%[weights]]\nldp q6, q7, [%[weights], #32]\nldp q8, q9, [%[weights], #64]\nldp q10, q11, [%[weights], #96]\n" \
  "eor v0.16b, v0.16b, %[flip].16b\n" ROTATED(1, 0, 2)                                                                       \
  "1: subs %[n], %[n], #1\n"                                                                                                 \
  "csel x8, %[step], xzr, ne\n"                                                                                              \
  "add %[x], %[x], x8\n"                                                                                                     \
  STEP(0, 1, 128, ROTATED(2, 0, 4) ROTATED(3, 1, 4), "")                                                                     \
  "ldr q0, [%[x]]\n"                                                                                                         \
  STEP(2, 3, 256, "eor v0.16b, v0.16b, %[flip].16b\n", ROTATED(1, 0, 2))                                                     \
  "add %[weights], %[weights], #256\n"                                                                                       \
  "b.ne 1b\n"
// clang-format on

enum { STEP = 16, HALF = 8, ROTATIONS = 4 };

// Adds eight depths, which the row holds twice; a vector of weights has two quads of channels.
TVMQ_INLINE void add_half(int32x4_t acc[4], int8x16_t row, const int8_t *weights) {
  UNROLL for (int r = 0; r < ROTATIONS; r++) {
    UNROLL for (int q = 0; q < 4; q += 2, weights += 16) {
      const int8x16_t w = vld1q_s8(weights);
      acc[q] = vpadalq_s16(acc[q], vmull_s8(vget_low_s8(row), vget_low_s8(w)));
      acc[q + 1] = vpadalq_s16(acc[q + 1], vmull_high_s8(row, w));
    }
    row = vextq_s8(row, row, 2);
  }
}

#define ADD_TAP(name, HOW)                                                                                                                                 \
  TVMQ_INLINE const int8_t *name(int32x4_t acc[4], const uint8_t *x, size_t k, uint8x16_t flip, const int8_t *weights) {                                   \
    if (k >= STEP) {                                                                                                                                       \
      const uint8_t *sixteen = x;                                                                                                                          \
      size_t n = k / STEP;                                                                                                                                 \
      __asm__(SIXTEENS(HOW)                                                                                                                                \
              : [c0] "+&w"(acc[0]), [c1] "+&w"(acc[1]), [c2] "+&w"(acc[2]), [c3] "+&w"(acc[3]), [x] "+&r"(sixteen), [weights] "+&r"(weights), [n] "+&r"(n) \
              : [flip] "w"(flip), [step] "r"((size_t)STEP)                                                                                                 \
              : "memory", "cc", "x8", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v16", "v17", "v18", "v19", "v20", "v21",  \
                "v22", "v23");                                                                                                                             \
    }                                                                                                                                                      \
    if (k % STEP == 0) return weights;                                                                                                                     \
    const uint8x8_t half = vld1_u8(x + k - HALF);                                                                                                          \
    add_half(acc, vreinterpretq_s8_u8(veorq_u8(vcombine_u8(half, half), flip)), weights);                                                                  \
    return weights + 16 * HALF;                                                                                                                            \
  }

ADD_TAP(add_singles, SINGLES)
ADD_TAP(add_pairs, PAIRS)

GEMM_ROW(tvmq_gemm_s8_1x16r4__neon, add_singles)
GEMM_ROW(tvmq_gemm_s8_1x16r4p__neon, add_pairs)
