// Shared by the gemm kernels for Armv8.0 without dot products whose accumulators are finished outputs (gemm_neon.c,
// gemm_lines_neon.c).
//
// A product of vectors multiplies each pair of depths of a row by the weights of another of four channels, in the
// panel's order (rotation, layout.h). Then the row is rotated by two depths. After four such products every channel has
// been multiplied by every depth. So no lanes are added at the end of a tile, at the cost of one rotation (ext) of each
// row per two or four quads of channels. Products are int16. Two of them fit int16 together unless a weight is -128, so
// one pairwise addition serves both (kernels with a p). With a weight of -128 each product is added separately.
//
// Registers of the assembly: x0-x7 row pointers, x8 offset in the rows of the next step (8x8: x14 of this step), x9
// scratch, x10 taps left, x11 depths of a tap rounded down to a multiple of 16, x12 depths of a tap. v0-v3 hold four
// rows. v4, v5 and v14, v15 hold the weights of two quads in turn, while the next ones are loaded. v6-v13 hold
// products; v6 also holds the flip.
#pragma once

#include "kernels/arm64/gemm_neon_tile.h"

// clang-format off
#define LOW(op, to, row, b) #op " v" #to ".8h, v" #row ".8b, v" #b ".8b\n"
#define HIGH(op, to, row, b) #op "2 v" #to ".8h, v" #row ".16b, v" #b ".16b\n"
#define ACC(acc, t) "sadalp v" #acc ".4s, v" #t ".8h\n"
#define WEIGHTS(b, offset) "ldr q" #b ", [%[weights], #" offset "]\n"
#define ROTATED(row) "ext v" #row ".16b, v" #row ".16b, v" #row ".16b, #2\n"
#define ROW(row, x, offset) "ldr q" #row ", [" #x ", " #offset "]\n"
#define TWICE(row, x) "add x9, " #x ", x11\nld1r {v" #row ".2d}, [x9]\n" // eight depths, in both halves
#define FOUR_TIMES(row, x) "add x9, " #x ", x8\nld1r {v" #row ".4s}, [x9]\n" // four depths, in all quarters
#define FLIP(row) "eor v" #row ".16b, v" #row ".16b, v6.16b\n"

#define NO_FLIPS ""
#define FLIPS "movi v6.16b, #0x80\n" FLIP(0) FLIP(1) FLIP(2) FLIP(3)
#define ROTATE ROTATED(0) ROTATED(1) ROTATED(2) ROTATED(3)
#define FIRST_ROWS ROW(0, x0, x8) ROW(1, x1, x8) ROW(2, x2, x8) ROW(3, x3, x8)
#define LAST_ROWS ROW(0, x4, x14) ROW(1, x5, x14) ROW(2, x6, x14) ROW(3, x7, x14)
#define LOW_ROWS(op, t0, t1, t2, t3, b) LOW(op, t0, 0, b) LOW(op, t1, 1, b) LOW(op, t2, 2, b) LOW(op, t3, 3, b)
#define HIGH_ROWS(op, t0, t1, t2, t3, b) HIGH(op, t0, 0, b) HIGH(op, t1, 1, b) HIGH(op, t2, 2, b) HIGH(op, t3, 3, b)
#define ACC_ROWS(c0, c1, c2, c3, d0, d1, d2, d3) ACC(c0, 6) ACC(c1, 7) ACC(c2, 8) ACC(c3, 9) ACC(d0, 10) ACC(d1, 11) ACC(d2, 12) ACC(d3, 13)
#define ACC_QUADS(...) ACC_ROWS(__VA_ARGS__)

// Multiplies four rows by two quads with sixteen depths. x and y hold the weights; the next ones are loaded to `to_x`
// and `to_y` from `next` on. AFTER follows the last use of the rows.
#define PAIRS(x, y, to_x, to_y, next, QUADS, AFTER)                                                               \
  LOW_ROWS(smull, 6, 7, 8, 9, x) WEIGHTS(to_x, next) LOW_ROWS(smull, 10, 11, 12, 13, y) WEIGHTS(to_y, next "+16") \
  HIGH_ROWS(smlal, 6, 7, 8, 9, x) HIGH_ROWS(smlal, 10, 11, 12, 13, y) AFTER ACC_QUADS(QUADS)
#define SINGLES(x, y, to_x, to_y, next, QUADS, AFTER)                                                             \
  LOW_ROWS(smull, 6, 7, 8, 9, x) WEIGHTS(to_x, next) LOW_ROWS(smull, 10, 11, 12, 13, y) WEIGHTS(to_y, next "+16") \
  ACC_QUADS(QUADS) HIGH_ROWS(smull, 6, 7, 8, 9, x) HIGH_ROWS(smull, 10, 11, 12, 13, y) AFTER ACC_QUADS(QUADS)
// The same with eight or four depths, which the rows hold twice or four times: x holds both quads. Pairs are the
// products of one rotation and of the next.
#define PRODUCTS(op, x) LOW_ROWS(op, 6, 7, 8, 9, x) HIGH_ROWS(op, 10, 11, 12, 13, x)
#define SINGLE(x, QUADS, AFTER) PRODUCTS(smull, x) AFTER ACC_QUADS(QUADS)
#define PAIR(x, y, BETWEEN, QUADS, AFTER) PRODUCTS(smull, x) ROTATE BETWEEN PRODUCTS(smlal, y) AFTER ACC_QUADS(QUADS)

// KEEP_OFFSET saves the offset of the present rows. Then follow eight depths if k has them, whose weights have `bytes`
// bytes, and REST.
#define SUMS(START_TILE, POINTERS, KEEP_OFFSET, FLIPS, SIXTEEN, EIGHT, bytes, REST)                                    \
  TVMQ_NEON_DEPTHS(START_TILE, POINTERS, FIRST_ROWS, KEEP_OFFSET, FLIPS SIXTEEN, "2*" bytes,                           \
                   TVMQ_NEON_EIGHT_DEPTHS(TWICE(0, x0) TWICE(1, x1) TWICE(2, x2) TWICE(3, x3) FLIPS, EIGHT, bytes) REST)
// REST for four remaining depths.
#define FOUR(FLIPS, STEP, bytes) \
  TVMQ_NEON_FOUR_DEPTHS("sub x8, x12, #4\n" FOUR_TIMES(0, x0) FOUR_TIMES(1, x1) FOUR_TIMES(2, x2) FOUR_TIMES(3, x3) FLIPS, STEP, bytes)

// ---- 4x16
//
// Tile: 4 rows x 16 channels.
//
//           v0    v16   v17   v18   v19
//   rows    v1    v20   v21   v22   v23
//           v2    v24   v25   v26   v27
//           v3    v28   v29   v30   v31
#define LEFT 16, 20, 24, 28, 17, 21, 25, 29
#define RIGHT 18, 22, 26, 30, 19, 23, 27, 31
#define START_4X16                    \
  WEIGHTS(4, "64") WEIGHTS(5, "80")   \
  "add %[weights], %[weights], #64\n" \
  TVMQ_NEON_TERMS_4X16
#define SIXTEEN_4X16(STEP)                                                               \
  STEP(4, 5, 14, 15, "32", LEFT, "") STEP(14, 15, 4, 5, "64", RIGHT, ROTATE)             \
  STEP(4, 5, 14, 15, "96", LEFT, "") STEP(14, 15, 4, 5, "128", RIGHT, ROTATE)            \
  STEP(4, 5, 14, 15, "160", LEFT, "") STEP(14, 15, 4, 5, "192", RIGHT, ROTATE)           \
  STEP(4, 5, 14, 15, "224", LEFT, "") STEP(14, 15, 4, 5, "256", RIGHT, FIRST_ROWS)
#define SINGLE_EIGHT_4X16                                                                \
  SINGLE(4, LEFT, WEIGHTS(14, "32")) SINGLE(5, RIGHT, ROTATE WEIGHTS(15, "48"))          \
  SINGLE(14, LEFT, WEIGHTS(4, "64")) SINGLE(15, RIGHT, ROTATE WEIGHTS(5, "80"))          \
  SINGLE(4, LEFT, WEIGHTS(14, "96")) SINGLE(5, RIGHT, ROTATE WEIGHTS(15, "112"))         \
  SINGLE(14, LEFT, WEIGHTS(4, "128")) SINGLE(15, RIGHT, WEIGHTS(5, "144"))
// The right half begins with the rotation at which the left half's pair ends, and ends without rotation.
#define PAIRED_EIGHT_4X16                                                                \
  WEIGHTS(14, "32") WEIGHTS(15, "48")                                                    \
  PAIR(4, 14, WEIGHTS(4, "80"), LEFT, WEIGHTS(14, "64"))                                 \
  PAIR(15, 4, WEIGHTS(15, "96"), RIGHT, WEIGHTS(4, "112"))                               \
  PAIR(14, 15, "", LEFT, "")                                                             \
  PAIR(4, 5, WEIGHTS(4, "128"), RIGHT, WEIGHTS(5, "144"))
#define FOUR_4X16                                                                        \
  WEIGHTS(14, "32") WEIGHTS(15, "48")                                                    \
  PAIR(4, 14, WEIGHTS(4, "64"), LEFT, "")                                                \
  PAIR(15, 5, "", RIGHT, WEIGHTS(5, "80"))

// ---- 8x8
//
// Tile: 8 rows x 8 channels, for outputs with few channels beyond a multiple of 16. Rows 0-3 and then 4-7 meet the same weights.
//
//           v0    v16   v17            v0    v24   v25
//   rows    ...   ...   ...    rows    ...   ...   ...
//   0-3     v3    v22   v23    4-7     v3    v30   v31
#define TOP 16, 18, 20, 22, 17, 19, 21, 23
#define BOTTOM 24, 26, 28, 30, 25, 27, 29, 31
#define KEEP_OFFSET_8X8 "mov x14, x8\n"
#define START_8X8                     \
  "add %[weights], %[weights], #32\n" \
  TVMQ_NEON_TERMS_8X8                 \
  WEIGHTS(4, "0") WEIGHTS(5, "16")
#define SIXTEEN_8X8(STEP, FLIPS)                                                         \
  STEP(4, 5, 14, 15, "32", TOP, ROTATE) STEP(14, 15, 4, 5, "64", TOP, ROTATE)            \
  STEP(4, 5, 14, 15, "96", TOP, ROTATE) STEP(14, 15, 4, 5, "0", TOP, LAST_ROWS)          \
  FLIPS                                                                                  \
  STEP(4, 5, 14, 15, "32", BOTTOM, ROTATE) STEP(14, 15, 4, 5, "64", BOTTOM, ROTATE)      \
  STEP(4, 5, 14, 15, "96", BOTTOM, ROTATE) STEP(14, 15, 4, 5, "128", BOTTOM, FIRST_ROWS)
#define SINGLE_EIGHT_8X8(FLIPS)                                                          \
  SINGLE(4, TOP, ROTATE WEIGHTS(14, "32")) SINGLE(5, TOP, ROTATE WEIGHTS(15, "48"))      \
  SINGLE(14, TOP, ROTATE) SINGLE(15, TOP, "")                                            \
  TWICE(0, x4) TWICE(1, x5) TWICE(2, x6) TWICE(3, x7) FLIPS                              \
  SINGLE(4, BOTTOM, ROTATE WEIGHTS(4, "64")) SINGLE(5, BOTTOM, ROTATE WEIGHTS(5, "80"))  \
  SINGLE(14, BOTTOM, ROTATE) SINGLE(15, BOTTOM, "")
#define PAIRED_EIGHT_8X8(FLIPS)                                                          \
  WEIGHTS(14, "32") WEIGHTS(15, "48")                                                    \
  PAIR(4, 5, "", TOP, ROTATE) PAIR(14, 15, "", TOP, "")                                  \
  TWICE(0, x4) TWICE(1, x5) TWICE(2, x6) TWICE(3, x7) FLIPS                              \
  PAIR(4, 5, WEIGHTS(4, "64"), BOTTOM, ROTATE WEIGHTS(5, "80")) PAIR(14, 15, "", BOTTOM, "")
#define FOUR_8X8(FLIPS)                                                                  \
  PAIR(4, 5, "", TOP, "")                                                                \
  FOUR_TIMES(0, x4) FOUR_TIMES(1, x5) FOUR_TIMES(2, x6) FOUR_TIMES(3, x7) FLIPS          \
  PAIR(4, 5, WEIGHTS(4, "32"), BOTTOM, WEIGHTS(5, "48"))
// clang-format on
