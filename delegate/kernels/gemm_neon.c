// int8 gemm for Armv8.0, without dot products; rows are read where they lie.
//
// Products of eight depths are int16; two of them fit int16 together unless a weight is -128, so that one pairwise addition into the int32 accumulator serves
// sixteen depths (kernels 4x4c8p and 4x4c16p: 48 instructions for 4x4x16). With a weight of -128 each product is added by itself (4x4c8: 64).
//
// An accumulator belongs to one row and one channel; its four lanes are added at the end. The first depths of a tile start the accumulators, which so need no
// zeroing. Two rows are computed together: in-order cores have a multiplication's latency to fill.
//
// Registers of the assembly: x0-x3 row pointers, x8 and x14 offset in the rows of the next step and of this one, x9 and x11-x13 weights of depths
// 8-15, x10 taps left. Loads do not move their
// pointers, which would cost an in-order core more than the additions.
#include "gemm_neon_tile.h"
#include "inline.h"

// clang-format off
#define LOW(op, to, a, b) #op " v" #to ".8h, v" #a ".8b, v" #b ".8b\n"
#define HIGH(op, to, a, b) #op "2 v" #to ".8h, v" #a ".16b, v" #b ".16b\n"
#define ACC(op, acc, t) #op " v" #acc ".4s, v" #t ".8h\n"
#define ROW(reg, a, row) "ldr " #reg #a ", [x" #row ", x14]\n"
#define FLIP_MASK "dup v14.16b, %w[flip]\n"
#define FLIP(a) "eor v" #a ".16b, v" #a ".16b, v14.16b\n"
#define NO_FLIP(a)

// Sixteen depths of a channel's weights, of which %[weights] is past the end: as two halves in groups of eight depths (c8), or whole (c16).
#define HALVES_LOW(b, channel) "ldur d" #b ", [%[weights], #8*" #channel "-64]\n"
#define HALVES_HIGH(b, from) "ld1 {v" #b ".d}[1], [" #from "]\n"
#define HALVES_ADDRESSES "sub x9, %[weights], #32\nsub x11, %[weights], #24\nsub x12, %[weights], #16\nsub x13, %[weights], #8\n"
#define WHOLE_LOW(b, channel) "ldur q" #b ", [%[weights], #16*" #channel "-64]\n"
#define WHOLE_HIGH(b, from)
#define WHOLE_ADDRESSES

// Tile: 4 rows x 4 channels.
//
//                  v2    v3    v4    v5     weights of a channel: depths 0-7 and 8-15
//           v0    v16   v17   v18   v19
//   rows    v1    v20   v21   v22   v23     v6-v13 products
//           v0    v24   v25   v26   v27     v14 flip
//           v1    v28   v29   v30   v31     v15 bias
//
// Sixteen depths, sums of pairs of products.
#define STEP(depths) "mov x14, x8\nadd x8, x8, #" #depths "\nadd %[weights], %[weights], #4*" #depths "\ncmp x8, %[k]\n"
#define PAIRS(FIRST, FLIP_A, B)                                                                                                  \
  STEP(16) B##_ADDRESSES B##_LOW(2, 0) ROW(q, 0, 0) B##_LOW(3, 1) ROW(q, 1, 1) B##_LOW(4, 2) B##_LOW(5, 3) FLIP_A(0) FLIP_A(1)                          \
  LOW(smull, 6, 0, 2)                                                                            \
  LOW(smull, 10, 1, 2) B##_HIGH(2, x9) LOW(smull, 7, 0, 3) LOW(smull, 11, 1, 3)                                               \
  LOW(smull, 8, 0, 4) B##_HIGH(3, x11) LOW(smull, 12, 1, 4) LOW(smull, 9, 0, 5)                                                \
  LOW(smull, 13, 1, 5) B##_HIGH(4, x12) HIGH(smlal, 6, 0, 2) HIGH(smlal, 10, 1, 2)                                             \
  HIGH(smlal, 7, 0, 3) B##_HIGH(5, x13) HIGH(smlal, 11, 1, 3) HIGH(smlal, 8, 0, 4)                                             \
  HIGH(smlal, 12, 1, 4) HIGH(smlal, 9, 0, 5) ROW(q, 0, 2) HIGH(smlal, 13, 1, 5) ROW(q, 1, 3)                          \
  ACC(FIRST, 16, 6) ACC(FIRST, 20, 10) ACC(FIRST, 17, 7) ACC(FIRST, 21, 11) FLIP_A(0) FLIP_A(1)                                         \
  ACC(FIRST, 18, 8) ACC(FIRST, 22, 12) ACC(FIRST, 19, 9) ACC(FIRST, 23, 13)                                         \
  LOW(smull, 6, 0, 2) LOW(smull, 10, 1, 2) LOW(smull, 7, 0, 3) LOW(smull, 11, 1, 3)                                           \
  LOW(smull, 8, 0, 4) LOW(smull, 12, 1, 4) LOW(smull, 9, 0, 5) LOW(smull, 13, 1, 5)                                           \
  HIGH(smlal, 6, 0, 2) HIGH(smlal, 10, 1, 2) HIGH(smlal, 7, 0, 3) HIGH(smlal, 11, 1, 3)                                       \
  HIGH(smlal, 8, 0, 4) HIGH(smlal, 12, 1, 4) HIGH(smlal, 9, 0, 5) HIGH(smlal, 13, 1, 5)                                       \
  ACC(FIRST, 24, 6) ACC(FIRST, 28, 10) ACC(FIRST, 25, 7) ACC(FIRST, 29, 11)                                                   \
  ACC(FIRST, 26, 8) ACC(FIRST, 30, 12) ACC(FIRST, 27, 9) ACC(FIRST, 31, 13)

// Sixteen depths, each product added by itself.
#define FOUR_LOW(a) LOW(smull, 6, a, 2) LOW(smull, 7, a, 3) LOW(smull, 8, a, 4) LOW(smull, 9, a, 5)
#define FOUR_HIGH(a) HIGH(smull, 10, a, 2) HIGH(smull, 11, a, 3) HIGH(smull, 12, a, 4) HIGH(smull, 13, a, 5)
#define ADD_LOW(op, c0, c1, c2, c3) ACC(op, c0, 6) ACC(op, c1, 7) ACC(op, c2, 8) ACC(op, c3, 9)
#define ADD_HIGH(c0, c1, c2, c3) ACC(sadalp, c0, 10) ACC(sadalp, c1, 11) ACC(sadalp, c2, 12) ACC(sadalp, c3, 13)
#define SINGLES(FIRST, FLIP_A, B)                                                                                                \
  STEP(16) B##_ADDRESSES B##_LOW(2, 0) ROW(q, 0, 0) B##_LOW(3, 1) ROW(q, 1, 1) B##_LOW(4, 2) FLIP_A(0)                          \
  LOW(smull, 6, 0, 2) B##_LOW(5, 3) LOW(smull, 7, 0, 3) B##_HIGH(2, x9) LOW(smull, 8, 0, 4) FLIP_A(1)                    \
  LOW(smull, 9, 0, 5) B##_HIGH(3, x11) ACC(FIRST, 16, 6) ACC(FIRST, 17, 7) HIGH(smull, 10, 0, 2)                               \
  B##_HIGH(4, x12) ACC(FIRST, 18, 8) ACC(FIRST, 19, 9) HIGH(smull, 11, 0, 3) B##_HIGH(5, x13)                                   \
  LOW(smull, 6, 1, 2) LOW(smull, 7, 1, 3) HIGH(smull, 12, 0, 4) HIGH(smull, 13, 0, 5) ROW(q, 0, 2)                        \
  LOW(smull, 8, 1, 4) LOW(smull, 9, 1, 5) ADD_HIGH(16, 17, 18, 19)                                                            \
  FOUR_HIGH(1) ROW(q, 1, 3) ADD_LOW(FIRST, 20, 21, 22, 23) FLIP_A(0) FOUR_LOW(0) ADD_HIGH(20, 21, 22, 23) FLIP_A(1)       \
  FOUR_HIGH(0) ADD_LOW(FIRST, 24, 25, 26, 27) FOUR_LOW(1) ADD_HIGH(24, 25, 26, 27)                                            \
  FOUR_HIGH(1) ADD_LOW(FIRST, 28, 29, 30, 31) ADD_HIGH(28, 29, 30, 31)

// Eight depths.
#define TWO_ROWS_OF_EIGHT(FIRST, c0, c1, c2, c3, d0, d1, d2, d3)                                        \
  LOW(smull, 6, 0, 2) LOW(smull, 10, 1, 2) LOW(smull, 7, 0, 3) LOW(smull, 11, 1, 3)                     \
  LOW(smull, 8, 0, 4) LOW(smull, 12, 1, 4) LOW(smull, 9, 0, 5) LOW(smull, 13, 1, 5)                     \
  ACC(FIRST, c0, 6) ACC(FIRST, d0, 10) ACC(FIRST, c1, 7) ACC(FIRST, d1, 11)                             \
  ACC(FIRST, c2, 8) ACC(FIRST, d2, 12) ACC(FIRST, c3, 9) ACC(FIRST, d3, 13)
#define WEIGHTS_OF_EIGHT(b, channel) "ldur d" #b ", [%[weights], #8*" #channel "-32]\n"
#define EIGHT(FIRST, FLIP_A)                                                                            \
  STEP(8) WEIGHTS_OF_EIGHT(2, 0) ROW(d, 0, 0) WEIGHTS_OF_EIGHT(3, 1) ROW(d, 1, 1)                                   \
  WEIGHTS_OF_EIGHT(4, 2) WEIGHTS_OF_EIGHT(5, 3) FLIP_A(0) FLIP_A(1)                                             \
  TWO_ROWS_OF_EIGHT(FIRST, 16, 17, 18, 19, 20, 21, 22, 23)                                              \
  ROW(d, 0, 2) ROW(d, 1, 3) FLIP_A(0) FLIP_A(1)                                                   \
  TWO_ROWS_OF_EIGHT(FIRST, 24, 25, 26, 27, 28, 29, 30, 31)

#define NO_EIGHT(FIRST, FLIP_A)

#define PAIRWISE(to, a, b) "addp v" #to ".4s, v" #a ".4s, v" #b ".4s\n"
#define TERM(to, lane) "dup v" #to ".4s, v4.s[" #lane "]\n"
#define PLUS(to, a, b) "add v" #to ".4s, v" #a ".4s, v" #b ".4s\n"
#define TAP                                 \
  "ldp x0, x1, [%[rows]]\n"                 \
  "ldp x2, x3, [%[rows], #16]\n"            \
  "add %[rows], %[rows], #32\n"             \
  "mov x8, #0\n"

#define SUMS(MASK, SIXTEEN, EIGHT, FLIP_A, B)                                                                 \
  "ldr q15, [%[weights]], #16\n" MASK                                                               \
  "mov x10, %[taps]\n"                                                                              \
  TAP                                                                                               \
  "tbnz %[k], #3, 1f\n"                                                                             \
  SIXTEEN(saddlp, FLIP_A, B)                                                                           \
  "b 3f\n"                                                                                          \
  "1:\n"                                                                                            \
  EIGHT(saddlp, FLIP_A)                                                                             \
  "b 3f\n"                                                                                          \
  "2:\n"                                                                                            \
  TAP                                                                                               \
  "tbz %[k], #3, 4f\n"                                                                                \
  EIGHT(sadalp, FLIP_A)                                                                             \
  "3: b.eq 5f\n"                                                                                    \
  "4:\n"                                                                                            \
  SIXTEEN(sadalp, FLIP_A, B)                                                                           \
  "b.ne 4b\n"                                                                                       \
  "5: subs x10, x10, #1\n"                                                                          \
  "b.ne 2b\n"                                                                                       \
  "ldr q4, [%[terms]]\n"                                                                            \
  PAIRWISE(16, 16, 17) PAIRWISE(18, 18, 19) PAIRWISE(20, 20, 21) PAIRWISE(22, 22, 23)               \
  TERM(0, 0) TERM(1, 1) TERM(2, 2) TERM(3, 3)                                                       \
  PAIRWISE(24, 24, 25) PAIRWISE(26, 26, 27) PAIRWISE(28, 28, 29) PAIRWISE(30, 30, 31)               \
  PLUS(0, 0, 15) PLUS(1, 1, 15) PLUS(2, 2, 15) PLUS(3, 3, 15)                                       \
  PAIRWISE(16, 16, 18) PAIRWISE(17, 20, 22) PAIRWISE(18, 24, 26) PAIRWISE(19, 28, 30)               \
  PLUS(16, 16, 0) PLUS(17, 17, 1) PLUS(18, 18, 2) PLUS(19, 19, 3)
#define SUMS_4X4(tile, args, ...)                                                                                              \
  TVMQ_NEON_SUMS(tile, args, SUMS(__VA_ARGS__), "x0", "x1", "x2", "x3", "x12", "x13", "x14", "v0", "v1", "v2", "v3", "v4",     \
                 "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15")
#define PAIRS_C16(tile, args) SUMS_4X4(tile, args, "", PAIRS, NO_EIGHT, NO_FLIP, WHOLE)
#define PAIRS_C16_FLIPPED(tile, args) SUMS_4X4(tile, args, FLIP_MASK, PAIRS, NO_EIGHT, FLIP, WHOLE)
#define PAIRS_C8(tile, args) SUMS_4X4(tile, args, "", PAIRS, EIGHT, NO_FLIP, HALVES)
#define PAIRS_C8_FLIPPED(tile, args) SUMS_4X4(tile, args, FLIP_MASK, PAIRS, EIGHT, FLIP, HALVES)
#define SINGLES_C8(tile, args) SUMS_4X4(tile, args, "", SINGLES, EIGHT, NO_FLIP, HALVES)
#define SINGLES_C8_FLIPPED(tile, args) SUMS_4X4(tile, args, FLIP_MASK, SINGLES, EIGHT, FLIP, HALVES)
// clang-format on

// The first four accumulators hold the rows.
TVMQ_INLINE void store_4x4(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const int32_t *p, const int32x4_t *acc, int8_t *out,
                           size_t out_stride) {
  const int32x4_t m = vld1q_s32(p), s = vld1q_s32(p + 4);
  const int32x4_t multiplier[4] = {m, m, m, m}, shift[4] = {s, s, s, s};
  const int32x4_t rows = vreinterpretq_s32_s8(tvmq_neon_requantize(path, stage, acc, multiplier, shift));
  vst1q_lane_s32((int32_t *)out, rows, 0);
  vst1q_lane_s32((int32_t *)(out + out_stride), rows, 1);
  vst1q_lane_s32((int32_t *)(out + 2 * out_stride), rows, 2);
  vst1q_lane_s32((int32_t *)(out + 3 * out_stride), rows, 3);
}

TVMQ_NEON_GEMM(tvmq_gemm_s8_4x4c8__neon, 4, SINGLES_C8, SINGLES_C8_FLIPPED, store_4x4)
TVMQ_NEON_GEMM(tvmq_gemm_s8_4x4c8p__neon, 4, PAIRS_C8, PAIRS_C8_FLIPPED, store_4x4)
TVMQ_NEON_GEMM(tvmq_gemm_s8_4x4c16p__neon, 4, PAIRS_C16, PAIRS_C16_FLIPPED, store_4x4)
