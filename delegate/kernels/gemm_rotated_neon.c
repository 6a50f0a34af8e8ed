// int8 gemm for Armv8.0, without dot products, whose accumulators are finished outputs; rows are read where they lie.
//
// A product of vectors pairs each two depths of a row with another of four channels, as the panel has them (rotation, layout.h); the row is then rotated by two
// depths, and after four such products every channel has met every depth. So nothing is to be added across lanes at a tile's end, for one rotation (ext) of
// each row per four channel quads. Products are int16; two of them fit int16 together unless a weight is -128, so that one pairwise addition serves both
// (4x16r4p); with a weight of -128 each product is added by itself (4x16r4).
//
// Tile: 4 rows x 16 channels.
//
//                 v4, v5 or v14, v15      weights of two channel quads, the next ones loaded meanwhile
//           v0    v16   v17   v18   v19
//   rows    v1    v20   v21   v22   v23    v6-v13 products, v6 flip
//           v2    v24   v25   v26   v27
//           v3    v28   v29   v30   v31
//
// Registers of the assembly: x0-x3 row pointers, x8 offset of the A that is loaded next, x9 scratch, x10 taps left, x11 depths of a tap in whole sixteens.
#include "gemm_neon_tile.h"

// clang-format off
#define LOW(to, row, b) "smull v" #to ".8h, v" #row ".8b, v" #b ".8b\n"
#define HIGH(op, to, row, b) #op "2 v" #to ".8h, v" #row ".16b, v" #b ".16b\n"
#define ACC(acc, t) "sadalp v" #acc ".4s, v" #t ".8h\n"
#define WEIGHTS(b, offset) "ldr q" #b ", [%[weights], #" offset "]\n"
#define ROTATED(row) "ext v" #row ".16b, v" #row ".16b, v" #row ".16b, #2\n"
#define ROW(row, offset) "ldr q" #row ", [x" #row ", " offset "]\n"
#define TWICE(row) "add x9, x" #row ", x11\nld1r {v" #row ".2d}, [x9]\n" // eight depths, in both halves
#define FLIP(row) "eor v" #row ".16b, v" #row ".16b, v6.16b\n"
#define FLIP_ROWS "dup v6.16b, %w[flip]\n" FLIP(0) FLIP(1) FLIP(2) FLIP(3)
#define TERM(row, lane) "dup v" #row ".4s, v0.s[" #lane "]\n"
#define START(acc, b, row) "add v" #acc ".4s, v" #b ".4s, v" #row ".4s\n"

#define LOW_ROWS(t0, t1, t2, t3, b) LOW(t0, 0, b) LOW(t1, 1, b) LOW(t2, 2, b) LOW(t3, 3, b)
#define HIGH_ROWS(op, t0, t1, t2, t3, b) HIGH(op, t0, 0, b) HIGH(op, t1, 1, b) HIGH(op, t2, 2, b) HIGH(op, t3, 3, b)
#define ACC_ROWS(c0, c1, c2, c3, d0, d1, d2, d3) ACC(c0, 6) ACC(c1, 7) ACC(c2, 8) ACC(c3, 9) ACC(d0, 10) ACC(d1, 11) ACC(d2, 12) ACC(d3, 13)
#define LEFT_QUADS 16, 20, 24, 28, 17, 21, 25, 29
#define RIGHT_QUADS 18, 22, 26, 30, 19, 23, 27, 31
#define ACC_QUADS(...) ACC_ROWS(__VA_ARGS__)

// Two quads with sixteen depths: weights in x and y, the next ones go to `to_x` and `to_y` from `next` on. AFTER follows the last use of the rows.
#define PAIRS(x, y, to_x, to_y, next, QUADS, AFTER)                                                    \
  LOW_ROWS(6, 7, 8, 9, x) WEIGHTS(to_x, next) LOW_ROWS(10, 11, 12, 13, y) WEIGHTS(to_y, next "+16")    \
  HIGH_ROWS(smlal, 6, 7, 8, 9, x) HIGH_ROWS(smlal, 10, 11, 12, 13, y) AFTER ACC_QUADS(QUADS)
#define SINGLES(x, y, to_x, to_y, next, QUADS, AFTER)                                                  \
  LOW_ROWS(6, 7, 8, 9, x) WEIGHTS(to_x, next) LOW_ROWS(10, 11, 12, 13, y) WEIGHTS(to_y, next "+16")    \
  ACC_QUADS(QUADS) HIGH_ROWS(smull, 6, 7, 8, 9, x) HIGH_ROWS(smull, 10, 11, 12, 13, y) AFTER ACC_QUADS(QUADS)
// Four quads with eight depths, which the rows have twice.
#define TWO_QUADS(x) LOW_ROWS(6, 7, 8, 9, x) HIGH_ROWS(smull, 10, 11, 12, 13, x)
#define EIGHTS(x, y, to_x, to_y, next, AFTER)                                                          \
  TWO_QUADS(x) WEIGHTS(to_x, next) ACC_QUADS(LEFT_QUADS) TWO_QUADS(y) WEIGHTS(to_y, next "+16") AFTER ACC_QUADS(RIGHT_QUADS)

#define ROTATE ROTATED(0) ROTATED(1) ROTATED(2) ROTATED(3)
#define NEXT ROW(0, "x8") ROW(1, "x8") ROW(2, "x8") ROW(3, "x8")
#define SIXTEEN(STEP)                                                                                  \
  STEP(4, 5, 14, 15, "32", LEFT_QUADS, "") STEP(14, 15, 4, 5, "64", RIGHT_QUADS, ROTATE)               \
  STEP(4, 5, 14, 15, "96", LEFT_QUADS, "") STEP(14, 15, 4, 5, "128", RIGHT_QUADS, ROTATE)              \
  STEP(4, 5, 14, 15, "160", LEFT_QUADS, "") STEP(14, 15, 4, 5, "192", RIGHT_QUADS, ROTATE)             \
  STEP(4, 5, 14, 15, "224", LEFT_QUADS, "") STEP(14, 15, 4, 5, "256", RIGHT_QUADS, NEXT)
#define EIGHT                                                                                          \
  EIGHTS(4, 5, 14, 15, "32", ROTATE) EIGHTS(14, 15, 4, 5, "64", ROTATE)                                \
  EIGHTS(4, 5, 14, 15, "96", ROTATE) EIGHTS(14, 15, 4, 5, "128", "")

// Depths go in sixteens; the next A is loaded as soon as the last of the present one is used, and the present one once more after the last sixteen.
#define SUMS(STEP, FLIPS)                                                                              \
  "ldr q0, [%[terms]]\n" WEIGHTS(4, "0") WEIGHTS(5, "16") WEIGHTS(14, "32") WEIGHTS(15, "48")          \
  TERM(3, 3) TERM(2, 2) TERM(1, 1) TERM(0, 0)                                                          \
  START(16, 4, 0) START(20, 4, 1) START(24, 4, 2) START(28, 4, 3) WEIGHTS(4, "64")                     \
  START(17, 5, 0) START(21, 5, 1) START(25, 5, 2) START(29, 5, 3) WEIGHTS(5, "80")                     \
  START(18, 14, 0) START(22, 14, 1) START(26, 14, 2) START(30, 14, 3)                                  \
  START(19, 15, 0) START(23, 15, 1) START(27, 15, 2) START(31, 15, 3)                                  \
  "add %[weights], %[weights], #64\n"                                                                  \
  "and x11, %[k], #-16\n"                                                                              \
  "mov x10, %[taps]\n"                                                                                 \
  "1:\n"                                                                                               \
  "ldp x0, x1, [%[rows]]\n"                                                                            \
  "ldp x2, x3, [%[rows], #16]\n"                                                                       \
  "add %[rows], %[rows], #32\n"                                                                        \
  "mov x8, #0\n"                                                                                       \
  "cbz x11, 3f\n"                                                                                      \
  NEXT                                                                                                 \
  "2:\n"                                                                                               \
  "add x9, x8, #16\n"                                                                                  \
  "cmp x9, x11\n"                                                                                      \
  "csel x8, x9, x8, lo\n"                                                                              \
  FLIPS                                                                                                \
  SIXTEEN(STEP)                                                                                        \
  "add %[weights], %[weights], #256\n"                                                                 \
  "b.lo 2b\n"                                                                                          \
  "3: tbz %[k], #3, 4f\n"                                                                              \
  TWICE(0) TWICE(1) TWICE(2) TWICE(3)                                                                  \
  FLIPS                                                                                                \
  EIGHT                                                                                                \
  "add %[weights], %[weights], #128\n"                                                                 \
  "4: subs x10, x10, #1\n"                                                                             \
  "b.ne 1b\n"
#define SUMS_4X16(tile, args, STEP, FLIPS)                                                                                      \
  TVMQ_NEON_SUMS(tile, args, SUMS(STEP, FLIPS), "x0", "x1", "x2", "x3", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",     \
                 "v9", "v10", "v11", "v12", "v13", "v14", "v15")
#define SUMS_PAIRS(tile, args) SUMS_4X16(tile, args, PAIRS, "")
#define SUMS_PAIRS_FLIPPED(tile, args) SUMS_4X16(tile, args, PAIRS, FLIP_ROWS)
#define SUMS_SINGLES(tile, args) SUMS_4X16(tile, args, SINGLES, "")
#define SUMS_SINGLES_FLIPPED(tile, args) SUMS_4X16(tile, args, SINGLES, FLIP_ROWS)
// clang-format on

TVMQ_NEON_GEMM(tvmq_gemm_s8_4x16r4__neon, 4, SUMS_SINGLES, SUMS_SINGLES_FLIPPED, tvmq_neon_store_4x16)
TVMQ_NEON_GEMM(tvmq_gemm_s8_4x16r4p__neon, 4, SUMS_PAIRS, SUMS_PAIRS_FLIPPED, tvmq_neon_store_4x16)
