// Hot loops of 3x3 depthwise convolution by dot products down the rows, for the usual output stages.
// depthwise_dotprod.c computes other cases.
//
// Tile: two output rows of 8 channels; one column at a time at stride 2, two at stride 1. An odd last row is computed
// alone. Tiles one below the other reuse the constants in registers.
//
// Rows are interleaved once per input column into quads (32-bit lanes of four rows of a channel), which serve every kernel column and are used for the sums
// that end with the column as well as for those that begin with it. The loops are inline assembly, because they fill the registers and not every compiler keeps
// them there, and are ordered by hand: a line holds instructions that do not wait for each other, with loads beside them (depthwise_loops_dotprod.h). So what a
// column ends with is mixed with what the next begins with: pixels are looked up, loaded and partly interleaved ahead. Past the end they are those of the last
// column again.
//
// Weights minus their zero point may exceed int8. A second plane then holds the same term for every weight
// (pack_depthwise.h). Its quads' products use the same few registers for each kernel column. Multipliers and shifts
// have no registers left, and are loaded when needed.
//
// Reads: 8 bytes of each pixel of the window, each once. Writes: 8 bytes of each output pixel. Hazards: sdot does not saturate; the rest is stage_neon.h's
// path of right shifts, whose results must fit int16 if they are int8, or the fused form, which has the addends loaded for each result.
#include "kernels/arm64/depthwise_dotprod.h"
#include "kernels/arm64/depthwise_loops_dotprod.h"
#include "kernels/arm64/stage_neon.h"

// clang-format off
// ---- stride 1: four rows of a column serve both output rows
//
//   v0-v3 v4-v7  sums of the left and the right column, [output row][4 channels]
//   v8-v19       weights [kernel column][output row][4 channels]    v20 v21 multipliers, v22 v23 shifts;
//                                                                   or v20 v21 the second plane (a register an output row), v22 v23 either
//   v28 v30 v24 v31  rows of the left column, then pairs of them in v30 v24, then quads in v24 v25
//   v26-v29          rows of the right one, then pairs of them in v26 v28, then quads in v26 v27
//   v28-v31, and v29 v24 v25 v31  what becomes of the sums of the left and of the right column; bytes in v28 v30 and in v29 v25
#define S1_LEFT 24, 25, 24, 25
#define S1_RIGHT 26, 27, 26, 27
#define S1_W0 8, 9, 10, 11
#define S1_W1 12, 13, 14, 15
#define S1_W2 16, 17, 18, 19
#define S1_TERM 20, 20, 21, 21
#define S1_SHIFTS 22, 23
#define S1_ONE_PLANE_AT 16
#define S1_ONE_PLANE_MULTIPLIERS 20, 21
#define S1_ONE_PLANE_LOAD_MULTIPLIERS
#define S1_ONE_PLANE_LOAD_SHIFTS
#define S1_TWO_PLANES_AT 28
#define S1_TWO_PLANES_MULTIPLIERS 22, 23
#define S1_TWO_PLANES_LOAD_MULTIPLIERS CONSTANTS(22, 23, 26)
#define S1_TWO_PLANES_LOAD_SHIFTS CONSTANTS(22, 23, 28)
#define S1_LOOKUP_LEFT POINTER(0, 0, 19) POINTER(1, 1, 19) POINTER(2, 2, 19) POINTER(3, 3, 19)
#define S1_LOOKUP_RIGHT POINTER(4, 0, 20) POINTER(5, 1, 20) POINTER(6, 2, 20) POINTER(7, 3, 20)
#define S1_LOAD_LEFT LOAD(28, 0) LOAD(30, 1) LOAD(24, 2) LOAD(31, 3)
#define S1_LEFT_PAIRS(FROM) PAIR(30, 28, 30) PAIR(24, 24, 31) FROM##_BY(31) FROM(30, 31) FROM(24, 31)
#define S1_LEFT_QUADS(b0, b1) HIGH_QUAD(25, 30, 24) b0 LOW_QUAD(24, 30, 24) b1
#define S1_RIGHT_PAIRS(FROM) PAIR(26, 26, 27) PAIR(28, 28, 29) FROM##_BY(29) FROM(26, 29) FROM(28, 29)
#define S1_RIGHT_QUADS HIGH_QUAD(27, 26, 28) LOW_QUAD(26, 26, 28)

// The table's next two columns: both are loaded ("hi"), the last column is loaded twice ("eq"), or there is none ("lo")
// and the same two are loaded again.
#define S1_COUNT "subs %[n], %[n], #2\n"
#define S1_LEFT_IS_NEXT "cset x21, hs\n"
#define S1_RIGHT_IS_NEXT "cset x22, ne\n"
#define S1_ADVANCE_LEFT "add x19, x19, x21, lsl #4\n"
#define S1_ADVANCE_RIGHT "add x20, x19, x22, lsl #3\n"
#define S1_NEXT_OUTPUTS "add %[out0], %[out0], %[out_column], lsl #1\n" "add %[out1], %[out1], %[out_column], lsl #1\n"

#define S1(FROM, ROUND, NARROW, TO_BYTE, P)                                                                                                      \
  "mov x19, #0\n"                                                                                                                                \
  "mov x20, #8\n"                                                                                                                                \
  S1_LOOKUP_LEFT S1_LOOKUP_RIGHT S1_LOAD_LEFT LOAD(26, 4) LOAD(27, 5) S1_COUNT LOW_BIAS(0) HIGH_BIAS(1) LOW_BIAS(2) HIGH_BIAS(3)                 \
  S1_LEFT_PAIRS(FROM) LOAD(28, 6) LOAD(29, 7) S1_LEFT_IS_NEXT S1_RIGHT_IS_NEXT LOW_BIAS(4) HIGH_BIAS(5) LOW_BIAS(6) HIGH_BIAS(7)                 \
  S1_LEFT_QUADS(, ) S1_RIGHT_PAIRS(FROM) S1_ADVANCE_LEFT S1_ADVANCE_RIGHT                                                                        \
  P(FIRST, S1_LEFT, S1_TERM, S1_W0, POINTER(0, 0, 19), POINTER(1, 1, 19), POINTER(2, 2, 19), POINTER(3, 3, 19))                                  \
  S1_RIGHT_QUADS LOAD(28, 0) LOAD(30, 1) LOAD(24, 2) LOAD(31, 3)                                                                                 \
  P(SECOND, S1_RIGHT, S1_TERM, S1_W0, POINTER(4, 0, 20), POINTER(5, 1, 20), POINTER(6, 2, 20), POINTER(7, 3, 20))                                \
  S1_LEFT_PAIRS(FROM) P(FIRST, S1_RIGHT, S1_TERM, S1_W1)                                                                                         \
  "b.ls 2f\n"                                                                                                                                    \
  "1:\n"                                                                                                                                         \
  S1_LEFT_QUADS(LOAD(26, 4), LOAD(27, 5))                                                                                                        \
  P(SECOND, S1_LEFT, S1_TERM, S1_W1, LOAD(28, 6), LOAD(29, 7), , )                                                                               \
  S1_RIGHT_PAIRS(FROM)                                                                                                                           \
  P(FIRST, S1_LEFT, S1_TERM, S1_W2)                                                                                                              \
  S1_RIGHT_QUADS S1_##P##_LOAD_MULTIPLIERS                                                                                                       \
  BEGIN(ROUND, S1_##P, 28, 29, 0, 1) BEGIN(ROUND, S1_##P, 30, 31, 2, 3)                                                                          \
  MULTIPLY(ROUND, S1_##P, 28, 29, 0, 1) MULTIPLY(ROUND, S1_##P, 30, 31, 2, 3) LOAD_SHIFTS(ROUND, S1_##P)                                         \
  SHIFTS(ROUND, 28, 29, S1_SHIFTS, LOW_BIAS(0), HIGH_BIAS(1)) SHIFTS(ROUND, 30, 31, S1_SHIFTS, LOW_BIAS(2), HIGH_BIAS(3))                        \
  P(SECOND, S1_RIGHT, S1_TERM, S1_W2)                                                                                                            \
  NARROW(28, 28, 29) NARROW(30, 30, 31) LOAD_ZERO_POINT(NARROW, 29) S1_COUNT S1_##P##_LOAD_MULTIPLIERS                                           \
  P(FIRST, S1_LEFT, S1_TERM, S1_W0)                                                                                                              \
  ZERO_POINTS(NARROW, 28, 30, 29, S1_LEFT_IS_NEXT, S1_RIGHT_IS_NEXT)                                                                             \
  BEGIN(ROUND, S1_##P, 29, 24, 4, 5) BYTES(TO_BYTE, 28, 30, 25, 31, , ) BEGIN(ROUND, S1_##P, 25, 31, 6, 7) MULTIPLY(ROUND, S1_##P, 29, 24, 4, 5) \
  MULTIPLY(ROUND, S1_##P, 25, 31, 6, 7) LOAD_SHIFTS(ROUND, S1_##P)                                                                               \
  SHIFTS(ROUND, 29, 24, S1_SHIFTS, LOW_BIAS(4), HIGH_BIAS(5)) SHIFTS(ROUND, 25, 31, S1_SHIFTS, LOW_BIAS(6), HIGH_BIAS(7)) S1_ADVANCE_LEFT        \
  NARROW(29, 29, 24) STORE(28, out0) LOAD_ZERO_POINT(NARROW, 24) S1_ADVANCE_RIGHT NARROW(25, 25, 31) STORE(30, out1)                             \
  P(FIRST, S1_RIGHT, S1_TERM, S1_W1, POINTER(0, 0, 19), POINTER(1, 1, 19), POINTER(2, 2, 19), POINTER(3, 3, 19))                                 \
  ZERO_POINTS(NARROW, 29, 25, 24, , LOAD(28, 0)) LOAD(30, 1) LOAD(24, 2)                                                                         \
  P(SECOND, S1_RIGHT, S1_TERM, S1_W0, LOAD(31, 3), POINTER(4, 0, 20), POINTER(5, 1, 20), POINTER(6, 2, 20))                                      \
  BYTES(TO_BYTE, 29, 25, 26, 27, POINTER(7, 3, 20), ) S1_LEFT_PAIRS(FROM)                                                                        \
  STORE_RIGHT(29, out0) STORE_RIGHT(25, out1) S1_NEXT_OUTPUTS                                                                                    \
  "b.hi 1b\n"                                                                                                                                    \
  "2: b.ne 3f\n"                                                                                                                                 \
  S1_LEFT_QUADS(, ) P(FIRST, S1_LEFT, S1_TERM, S1_W2) LAST_STAGE(28, 29, 26, 27, 7, S1_##P, S1_SHIFTS, ROUND, NARROW, TO_BYTE)                   \
  "3:\n"

// The same for an output row alone, which has three rows of pixels.
//
//   v0 v1 v2 v3  sums of the left and the right column    v8 v9, v12 v13, v16 v17 weights [kernel column], v20-v23 as above
//   v28-v30      rows of the left column, then pairs of them in v28 v30, then quads in v24 v25
//   v26 v27 v31  rows of the right one, then pairs of them in v26 v31, then quads in v26 v27
//   v4-v7        what becomes of the sums; bytes in v4 v6
#define S1_ROW_LEFT 24, 25
#define S1_ROW_RIGHT 26, 27
#define S1_ROW_BOTH 24, 25, 26, 27
#define S1_ROW_TERM 20, 20
#define S1_ROW_TERMS 20, 20, 20, 20
#define S1_ROW_LOOKUP_LEFT POINTER(0, 0, 19) POINTER(1, 1, 19) POINTER(2, 2, 19)
#define S1_ROW_LOOKUP_RIGHT POINTER(4, 0, 20) POINTER(5, 1, 20) POINTER(6, 2, 20)
#define S1_ROW_LOAD_LEFT LOAD(28, 0) LOAD(29, 1) LOAD(30, 2)
#define S1_ROW_LOAD_RIGHT LOAD(26, 4) LOAD(27, 5) LOAD(31, 6)
#define S1_ROW_LEFT_PAIRS(FROM) PAIR(28, 28, 29) PAIR(30, 30, 30) FROM##_BY(29) FROM(28, 29) FROM(30, 29)
#define S1_ROW_LEFT_QUADS(b0, b1) LOW_QUAD(24, 28, 30) b0 HIGH_QUAD(25, 28, 30) b1
#define S1_ROW_RIGHT_PAIRS(FROM) PAIR(26, 26, 27) PAIR(31, 31, 31) FROM##_BY(27) FROM(26, 27) FROM(31, 27)
#define S1_ROW_RIGHT_QUADS HIGH_QUAD(27, 26, 31) LOW_QUAD(26, 26, 31)

#define S1_ROW(FROM, ROUND, NARROW, TO_BYTE, P)                                                                                                             \
  "mov x19, #0\n"                                                                                                                                           \
  "mov x20, #8\n"                                                                                                                                           \
  S1_ROW_LOOKUP_LEFT S1_ROW_LOOKUP_RIGHT S1_ROW_LOAD_LEFT S1_ROW_LOAD_RIGHT S1_COUNT S1_ROW_LEFT_PAIRS(FROM) S1_ROW_RIGHT_PAIRS(FROM)                       \
  S1_LEFT_IS_NEXT S1_RIGHT_IS_NEXT S1_ADVANCE_LEFT S1_ADVANCE_RIGHT LOW_BIAS(0) HIGH_BIAS(1) LOW_BIAS(2) HIGH_BIAS(3)                                       \
  S1_ROW_LEFT_QUADS(, ) S1_ROW_RIGHT_QUADS S1_ROW_LOOKUP_LEFT S1_ROW_LOOKUP_RIGHT S1_ROW_LOAD_LEFT                                                          \
  P(FIRST, S1_ROW_BOTH, S1_ROW_TERMS, 8, 9, 8, 9) P(LEFT, S1_ROW_RIGHT, S1_ROW_TERM, 12, 13) S1_ROW_LEFT_PAIRS(FROM)                                        \
  "b.ls 2f\n"                                                                                                                                               \
  "1:\n"                                                                                                                                                    \
  S1_ROW_LEFT_QUADS(LOAD(26, 4), LOAD(27, 5)) LOAD(31, 6)                                                                                                   \
  P(FIRST, S1_LEFT, S1_ROW_TERMS, 16, 17, 12, 13, S1_COUNT, , , )                                                                                           \
  S1_ROW_RIGHT_PAIRS(FROM) S1_##P##_LOAD_MULTIPLIERS                                                                                                        \
  BEGIN(ROUND, S1_##P, 4, 5, 0, 1) MULTIPLY(ROUND, S1_##P, 4, 5, 0, 1) S1_ROW_RIGHT_QUADS S1_LEFT_IS_NEXT S1_RIGHT_IS_NEXT S1_ADVANCE_LEFT S1_ADVANCE_RIGHT \
  P(RIGHT, S1_ROW_RIGHT, S1_ROW_TERM, 16, 17, POINTER(0, 0, 19), POINTER(1, 1, 19)) LOAD_ZERO_POINT(NARROW, 10) LOW_BIAS(0) HIGH_BIAS(1)                    \
  P(LEFT, S1_ROW_LEFT, S1_ROW_TERM, 8, 9, POINTER(2, 2, 19), POINTER(4, 0, 20))                                                                             \
  BEGIN(ROUND, S1_##P, 6, 7, 2, 3) MULTIPLY(ROUND, S1_##P, 6, 7, 2, 3, POINTER(5, 1, 20), POINTER(6, 2, 20)) LOAD_SHIFTS(ROUND, S1_##P)                     \
  SHIFTS(ROUND, 4, 5, S1_SHIFTS, LOW_BIAS(2), HIGH_BIAS(3)) P(LEFT, S1_ROW_RIGHT, S1_ROW_TERM, 12, 13, LOAD(28, 0), LOAD(29, 1))                            \
  SHIFTS(ROUND, 6, 7, S1_SHIFTS, , ) NARROW(4, 4, 5) LOAD(30, 2) P(RIGHT, S1_ROW_RIGHT, S1_ROW_TERM, 8, 9) NARROW(6, 6, 7)                                  \
  S1_ROW_LEFT_PAIRS(FROM) ZERO_POINTS(NARROW, 4, 6, 10, , ) BYTES(TO_BYTE, 4, 6, 14, 15, , ) STORE(4, out0) STORE(6, out1) S1_NEXT_OUTPUTS                  \
  "b.hi 1b\n"                                                                                                                                               \
  "2: b.ne 3f\n"                                                                                                                                            \
  "mov %[out1], %[out0]\n"                                                                                                                                  \
  S1_ROW_LEFT_QUADS(, ) P(LEFT, S1_ROW_LEFT, S1_ROW_TERM, 16, 17) LAST_STAGE(4, 5, 6, 7, 10, S1_##P, S1_SHIFTS, ROUND, NARROW, TO_BYTE)                     \
  "3:\n"

// ---- stride 2: five rows of a column, the middle one for both output rows
//
//   v0-v3    sums [output row][4 channels]    v4-v7 what becomes of them; bytes in v4 v6
//   v8-v11   quads of an even column, v8 v9 for output row 0, v10 v11 for output row 1; v12-v15 of the odd one before it
//   v16-v21  weights [kernel column][4 channels]    v22 v23 multipliers, v24 v25 shifts; or v22 the second plane, v24 v25 either
//   v26-v30  rows of the odd column, then pairs of them in v12 v14 v30
//   v26-v29 v31  rows of the even one, then pairs of them in v26 v28 v31
#define S2_EVEN 8, 9, 10, 11
#define S2_ODD 12, 13, 14, 15
#define S2_W0 16, 17, 16, 17
#define S2_W1 18, 19, 18, 19
#define S2_W2 20, 21, 20, 21
#define S2_TERM 22, 22, 22, 22
#define S2_SHIFTS 24, 25
#define S2_ONE_PLANE_AT 10
#define S2_ONE_PLANE_MULTIPLIERS 22, 23
#define S2_ONE_PLANE_LOAD_MULTIPLIERS
#define S2_ONE_PLANE_LOAD_SHIFTS
#define S2_TWO_PLANES_AT 16
#define S2_TWO_PLANES_MULTIPLIERS 24, 25
#define S2_TWO_PLANES_LOAD_MULTIPLIERS CONSTANTS(24, 25, 14)
#define S2_TWO_PLANES_LOAD_SHIFTS CONSTANTS(24, 25, 16)
#define S2_LOOKUP_ODD POINTER(0, 0, 19) POINTER(1, 1, 19) POINTER(2, 2, 19) POINTER(3, 3, 19) POINTER(4, 4, 19)
#define S2_LOOKUP_EVEN POINTER(5, 0, 20) POINTER(6, 1, 20) POINTER(7, 2, 20) POINTER(8, 3, 20) POINTER(9, 4, 20)
#define S2_LOAD_EVEN LOAD(26, 5) LOAD(27, 6) LOAD(28, 7) LOAD(29, 8) LOAD(31, 9)
#define S2_EVEN_PAIRS(FROM, b0, b1, b2) PAIR(26, 26, 27) b0 PAIR(28, 28, 29) b1 PAIR(31, 31, 31) b2 FROM##_BY(27) FROM(26, 27) FROM(28, 27) FROM(31, 27)
#define S2_EVEN_QUADS(b0, b1) LOW_QUAD(8, 26, 28) b0 HIGH_QUAD(9, 26, 28) b1 LOW_QUAD(10, 28, 31) HIGH_QUAD(11, 28, 31)
#define S2_ODD_PAIRS(FROM, b0, b1, b2) PAIR(12, 26, 27) b0 PAIR(14, 28, 29) b1 PAIR(30, 30, 30) b2 FROM##_BY(13) FROM(12, 13) FROM(14, 13) FROM(30, 13)
#define S2_ODD_QUADS(b2, b3) HIGH_QUAD(13, 12, 14) LOW_QUAD(12, 12, 14) HIGH_QUAD(15, 14, 30) b2 LOW_QUAD(14, 14, 30) b3

// The table's next two columns, if there are any.
#define S2_COUNT "subs %[n], %[n], #1\n"
#define S2_IS_NEXT "cset x21, hi\n"
#define S2_ADVANCE "add x19, x19, x21, lsl #4\n" "add x20, x20, x21, lsl #4\n"

#define S2(FROM, ROUND, NARROW, TO_BYTE, P)                                                                                                   \
  "mov x19, #8\n"                                                                                                                             \
  "mov x20, #0\n"                                                                                                                             \
  S2_LOOKUP_EVEN S2_LOOKUP_ODD S2_LOAD_EVEN LOW_BIAS(0) HIGH_BIAS(1) LOW_BIAS(2) HIGH_BIAS(3)                                                 \
  "mov x20, #16\n" S2_COUNT                                                                                                                   \
  S2_EVEN_PAIRS(FROM, POINTER(5, 0, 20), POINTER(6, 1, 20), POINTER(7, 2, 20)) LOAD(29, 3) LOAD(30, 4) S2_IS_NEXT                             \
  S2_EVEN_QUADS(POINTER(8, 3, 20), POINTER(9, 4, 20)) LOAD(26, 0) LOAD(27, 1) LOAD(28, 2) S2_ADVANCE                                          \
  P(FIRST, S2_EVEN, S2_TERM, S2_W0)                                                                                                           \
  S2_ODD_PAIRS(FROM, LOAD(26, 5), LOAD(27, 6), LOAD(28, 7)) LOAD(29, 8) LOAD(31, 9) S2_ODD_QUADS(, )                                          \
  "1:\n"                                                                                                                                      \
  S2_EVEN_PAIRS(FROM, POINTER(0, 0, 19), POINTER(1, 1, 19), POINTER(2, 2, 19))                                                                \
  P(FIRST, S2_ODD, S2_TERM, S2_W1, POINTER(3, 3, 19), POINTER(4, 4, 19), LOAD(27, 1), )                                                       \
  S2_EVEN_QUADS(LOAD(29, 3), LOAD(30, 4))                                                                                                     \
  P(FIRST, S2_EVEN, S2_TERM, S2_W2, LOAD(26, 0), LOAD(28, 2), POINTER(5, 0, 20), POINTER(6, 1, 20)) S2_##P##_LOAD_MULTIPLIERS                 \
  BEGIN(ROUND, S2_##P, 4, 5, 0, 1) BEGIN(ROUND, S2_##P, 6, 7, 2, 3) MULTIPLY(ROUND, S2_##P, 4, 5, 0, 1, POINTER(7, 2, 20), POINTER(8, 3, 20)) \
  MULTIPLY(ROUND, S2_##P, 6, 7, 2, 3, POINTER(9, 4, 20), ) LOAD_SHIFTS(ROUND, S2_##P)                                                         \
  SHIFTS(ROUND, 4, 5, S2_SHIFTS, LOW_BIAS(0), HIGH_BIAS(1)) SHIFTS(ROUND, 6, 7, S2_SHIFTS, LOW_BIAS(2), HIGH_BIAS(3))                         \
  LOAD_ZERO_POINT(NARROW, 31) S2_COUNT NARROW(4, 4, 5) NARROW(6, 6, 7)                                                                        \
  P(FIRST, S2_EVEN, S2_TERM, S2_W0)                                                                                                           \
  ZERO_POINTS(NARROW, 4, 6, 31, S2_IS_NEXT, )                                                                                                 \
  S2_ODD_PAIRS(FROM, LOAD(26, 5), LOAD(27, 6), LOAD(28, 7))                                                                                   \
  BYTES(TO_BYTE, 4, 6, 5, 7, LOAD(29, 8), LOAD(31, 9)) S2_ADVANCE                                                                             \
  S2_ODD_QUADS(STORE(4, out0), STORE(6, out1))                                                                                                \
  "add %[out0], %[out0], %[out_column]\n"                                                                                                     \
  "add %[out1], %[out1], %[out_column]\n"                                                                                                     \
  "b.hs 1b\n"

// The same for an output row alone, which has three rows of pixels.
//
//   v0 v1    sums    v4 v5 what becomes of them; bytes in v4
//   v26-v28  rows of the odd column, then pairs of them in v26 v28, then quads in v12 v13
//   v29-v31  rows of the even one, then pairs of them in v29 v31, then quads in v8 v9
#define S2_ROW_EVEN 8, 9
#define S2_ROW_ODD 12, 13
#define S2_ROW_TERM 22, 22
#define S2_ROW_LOOKUP_ODD POINTER(0, 0, 19) POINTER(1, 1, 19) POINTER(2, 2, 19)
#define S2_ROW_LOOKUP_EVEN POINTER(5, 0, 20) POINTER(6, 1, 20) POINTER(7, 2, 20)
#define S2_ROW_LOAD_ODD LOAD(26, 0) LOAD(27, 1) LOAD(28, 2)
#define S2_ROW_LOAD_EVEN LOAD(29, 5) LOAD(30, 6) LOAD(31, 7)
#define S2_ROW_EVEN_PAIRS(FROM, b0, b1) PAIR(29, 29, 30) b0 PAIR(31, 31, 31) b1 FROM##_BY(30) FROM(29, 30) FROM(31, 30)
#define S2_ROW_EVEN_QUADS LOW_QUAD(8, 29, 31) HIGH_QUAD(9, 29, 31)
#define S2_ROW_ODD_PAIRS(FROM) PAIR(26, 26, 27) PAIR(28, 28, 28) FROM##_BY(27) FROM(26, 27) FROM(28, 27)
#define S2_ROW_ODD_QUADS LOW_QUAD(12, 26, 28) HIGH_QUAD(13, 26, 28)

#define S2_ROW(FROM, ROUND, NARROW, TO_BYTE, P)                                                                                         \
  "mov x19, #8\n"                                                                                                                       \
  "mov x20, #0\n"                                                                                                                       \
  S2_ROW_LOOKUP_EVEN S2_ROW_LOOKUP_ODD S2_ROW_LOAD_EVEN                                                                                 \
  "mov x20, #16\n"                                                                                                                      \
  S2_ROW_LOOKUP_EVEN S2_ROW_LOAD_ODD S2_ROW_EVEN_PAIRS(FROM, , ) S2_COUNT LOW_BIAS(0) HIGH_BIAS(1) S2_IS_NEXT                           \
  S2_ROW_EVEN_QUADS S2_ROW_ODD_PAIRS(FROM) S2_ADVANCE S2_ROW_LOAD_EVEN P(LEFT, S2_ROW_EVEN, S2_ROW_TERM, 16, 17)                        \
  S2_ROW_ODD_QUADS S2_ROW_LOOKUP_ODD S2_ROW_LOOKUP_EVEN                                                                                 \
  "1:\n"                                                                                                                                \
  S2_ROW_EVEN_PAIRS(FROM, LOAD(26, 0), LOAD(27, 1))                                                                                     \
  P(LEFT, S2_ROW_ODD, S2_ROW_TERM, 18, 19, LOAD(28, 2), ) LOAD_ZERO_POINT(NARROW, 10) S2_COUNT                                          \
  S2_ROW_EVEN_QUADS S2_ROW_ODD_PAIRS(FROM) S2_IS_NEXT                                                                                   \
  P(LEFT, S2_ROW_EVEN, S2_ROW_TERM, 20, 21, LOAD(29, 5), LOAD(30, 6)) S2_##P##_LOAD_MULTIPLIERS                                         \
  S2_ROW_ODD_QUADS LOAD(31, 7) S2_ADVANCE                                                                                               \
  BEGIN(ROUND, S2_##P, 4, 5, 0, 1) MULTIPLY(ROUND, S2_##P, 4, 5, 0, 1, POINTER(0, 0, 19), POINTER(1, 1, 19)) LOAD_SHIFTS(ROUND, S2_##P) \
  SHIFTS(ROUND, 4, 5, S2_SHIFTS, LOW_BIAS(0), HIGH_BIAS(1)) NARROW(4, 4, 5) POINTER(2, 2, 19)                                           \
  P(LEFT, S2_ROW_EVEN, S2_ROW_TERM, 16, 17, POINTER(5, 0, 20), POINTER(6, 1, 20))                                                       \
  NARROW##_ZERO_POINT(4, 10) POINTER(7, 2, 20) TO_BYTE##_BOUNDS(14, 15) TO_BYTE(4, 14, 15) STORE(4, out0)                               \
  "add %[out0], %[out0], %[out_column]\n"                                                                                               \
  "b.hs 1b\n"

// ---- kernels

// Kinds of output that the loops support; UNUSUAL: none of them. Input and output are both int8 or both uint8, all shifts
// go right, and ties go away from zero or make no difference.
enum usual { UNUSUAL, INT8, INT8_CLAMPED, UINT8, UINT8_WIDE, UINT8_CLAMPED, UINT8_TWO_PLANES, UINT8_TWO_PLANES_CLAMPED };

static enum usual usual(const struct tvmq_depthwise_args *args) {
  const struct tvmq_stage *stage = args->stage;
  const bool clamps = tvmq_stage_clamps(stage);
  if (args->in_flip != stage->flip || stage->rounding != TVMQ_ROUNDING_REFERENCE || !stage->right_shifts) return UNUSUAL;
  if (stage->flip && args->n_planes == 2) return clamps ? UINT8_TWO_PLANES_CLAMPED : UINT8_TWO_PLANES;
  if (args->n_planes > 1) return UNUSUAL;
  if (stage->flip) return clamps ? UINT8_CLAMPED : stage->fits_int16 ? UINT8 : UINT8_WIDE;
  return !stage->fits_int16 ? UNUSUAL : clamps ? INT8_CLAMPED : INT8;
}

// A panel has 8 biases, the weights, 8 multipliers, 8 shifts.
#define S1_WEIGHTS \
  CONSTANTS(8, 9, 2) CONSTANTS(10, 11, 4) CONSTANTS(12, 13, 6) CONSTANTS(14, 15, 8) CONSTANTS(16, 17, 10) CONSTANTS(18, 19, 12)
#define S1_ONE_PLANE_CONSTANTS S1_WEIGHTS CONSTANTS(20, 21, 14) CONSTANTS(22, 23, 16)
#define S1_TWO_PLANES_CONSTANTS S1_WEIGHTS CONSTANT(20, 14) CONSTANT(21, 16)
#define S1_ROW_WEIGHTS CONSTANTS(8, 9, 2) CONSTANTS(12, 13, 6) CONSTANTS(16, 17, 10)
#define S1_ROW_ONE_PLANE_CONSTANTS S1_ROW_WEIGHTS CONSTANTS(20, 21, 14) CONSTANTS(22, 23, 16)
#define S1_ROW_TWO_PLANES_CONSTANTS S1_ROW_WEIGHTS CONSTANT(20, 14)
#define S2_WEIGHTS CONSTANTS(16, 17, 2) CONSTANTS(18, 19, 4) CONSTANTS(20, 21, 6)
#define S2_ONE_PLANE_CONSTANTS S2_WEIGHTS CONSTANTS(22, 23, 8) CONSTANTS(24, 25, 10)
#define S2_TWO_PLANES_CONSTANTS S2_WEIGHTS CONSTANT(22, 8)
#define S2_ROW_ONE_PLANE_CONSTANTS S2_ONE_PLANE_CONSTANTS
#define S2_ROW_TWO_PLANES_CONSTANTS S2_TWO_PLANES_CONSTANTS

// Tiles of one block, one below the other.
struct tiles {
  struct tvmq_neon_output output;
  size_t row_step, out_step;  // bytes from a tile's pointers to the next tile's, and from the end of its outputs to the next tile's outputs
  size_t n;                   // counter of the loop
};
_Static_assert(offsetof(struct tiles, row_step) == 48 && offsetof(struct tiles, n) == 64, "read by NEXT_TILE");
#define NEXT_TILE                                                                                   \
  "subs %[n_tiles], %[n_tiles], #1\n"                                                               \
  "b.eq 4f\n"                                                                                       \
  "ldp x0, x1, [%[tiles], #48]\n"                                                                   \
  "ldr %[n], [%[tiles], #64]\n"                                                                     \
  NEXT(row0, 0) NEXT(row1, 0) NEXT(row2, 0) NEXT(row3, 0) NEXT(row4, 0) NEXT(out0, 1) NEXT(out1, 1) \
  "b 0b\n"                                                                                          \
  "4:\n"
#define NEXT(pointer, step) "add %[" #pointer "], %[" #pointer "], x" #step "\n"

#define LOOP(CONSTANTS, ...)                                                                                                                     \
  __asm__ volatile(CONSTANTS "0:\n" __VA_ARGS__ NEXT_TILE                                                                                        \
          : [n] "+r"(n), [n_tiles] "+r"(n_tiles), [out0] "+r"(out0), [out1] "+r"(out1), [row0] "+r"(row0), [row1] "+r"(row1), [row2] "+r"(row2), \
            [row3] "+r"(row3), [row4] "+r"(row4)                                                                                                 \
          : [channel] "r"(channel), [panel] "r"(panel), [out_column] "r"(args->out_col_stride), [tiles] "r"(&tiles)                              \
          : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x19", "x20", "x21", "x22", "v0", "v1", "v2", "v3", "v4", "v5", "v6",    \
            "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",    \
            "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory")

// Calls the loop for the panel's form, fixed-point or fused.
#define CASE(KIND, TILE, PLANES, ...)                             \
  case KIND:                                                      \
    LOOP(TILE##_##PLANES##_CONSTANTS, TILE(__VA_ARGS__, PLANES)); \
    break;
#define FIXED_LOOPS(TILE)                                                                            \
  switch (kind) {                                                                                    \
    CASE(INT8, TILE, ONE_PLANE, FROM_INT8, AWAY, FITTING, TO_INT8)                                   \
    CASE(INT8_CLAMPED, TILE, ONE_PLANE, FROM_INT8, AWAY, FITTING, TO_INT8_CLAMPED)                   \
    CASE(UINT8, TILE, ONE_PLANE, FROM_UINT8, AWAY, FITTING, TO_UINT8)                                \
    CASE(UINT8_WIDE, TILE, ONE_PLANE, FROM_UINT8, AWAY, SATURATING, TO_UINT8)                        \
    CASE(UINT8_CLAMPED, TILE, ONE_PLANE, FROM_UINT8, AWAY, SATURATING, TO_UINT8_CLAMPED)             \
    CASE(UINT8_TWO_PLANES, TILE, TWO_PLANES, FROM_UINT8, AWAY, SATURATING, TO_UINT8)                 \
    CASE(UINT8_TWO_PLANES_CLAMPED, TILE, TWO_PLANES, FROM_UINT8, AWAY, SATURATING, TO_UINT8_CLAMPED) \
    case UNUSUAL:                                                                                    \
      return false;                                                                                  \
  }
#define FUSED_LOOPS(TILE)                                                         \
  switch (kind) {                                                                 \
    CASE(INT8, TILE, ONE_PLANE, FROM_INT8, FUSED, LOWEST, TO_INT8)                \
    case UINT8_WIDE:                                                              \
      CASE(UINT8, TILE, ONE_PLANE, FROM_UINT8, FUSED, LOWEST, TO_UINT8)           \
      CASE(UINT8_TWO_PLANES, TILE, TWO_PLANES, FROM_UINT8, FUSED, LOWEST, TO_UINT8) \
    default:                                                                      \
      return false;                                                               \
  }

// Computes `count` tiles, one below the other, from row `y` on.
#define TILES(TILE, STRIDE, y, count, third, fourth, to_second)                                                              \
  {                                                                                                                          \
    const void *const *row0 = args->pixels + (y) * STRIDE * pitch, *const *row1 = row0 + pitch, *const *row2 = row1 + pitch, \
                      *const *row3 = row0 + (third) * pitch, *const *row4 = row0 + (fourth) * pitch;                         \
    uint8_t *out0 = (uint8_t *)args->out + c + (y) * args->out_row_stride, *out1 = out0 + (to_second);                       \
    size_t n = tiles.n, n_tiles = count;                                                                                     \
    if (*multipliers < 0) {                                                                                                  \
      FUSED_LOOPS(TILE)                                                                                                      \
    } else {                                                                                                                 \
      FIXED_LOOPS(TILE)                                                                                                      \
    }                                                                                                                        \
  }

// Two rows a tile, and an odd last one alone: its two outputs at a time lie side by side, and what it lacks in rows of pixels is its last.
#define KERNEL(STRIDE)                                                                                                                                \
  bool tvmq_depthwise_3x3s##STRIDE##_dotprod(const struct tvmq_depthwise_args *args) {                                                                \
    const enum usual kind = usual(args);                                                                                                              \
    if (kind == UNUSUAL) return false;                                                                                                                \
    const size_t pitch = args->pixels_stride, in_loop = STRIDE == 1 ? args->n_cols / 2 * 2 : args->n_cols;                                            \
    const struct tiles tiles = {                                                                                                                      \
        .output = tvmq_neon_output(args->stage),                                                                                                      \
        .row_step = 2 * STRIDE * pitch * sizeof(void *),                                                                                              \
        .out_step = 2 * args->out_row_stride - in_loop * args->out_col_stride,                                                                        \
        .n = STRIDE == 1 ? args->n_cols + 1 : args->n_cols,                                                                                           \
    };                                                                                                                                                \
    const char *panel = args->panel;                                                                                                                  \
    for (size_t channel = args->channel_offset, c = 0; c < args->n_blocks * 8; c += 8, channel += 8, panel += args->panel_bytes) {                    \
      const int32_t *multipliers = (const int32_t *)(panel + 16 * (args->n_planes == 2 ? S##STRIDE##_TWO_PLANES_AT : S##STRIDE##_ONE_PLANE_AT) - 32); \
      TILES(S##STRIDE, STRIDE, 0, args->n_rows / 2, 3, STRIDE + 2, args->out_row_stride)                                                              \
      if (args->n_rows % 2 != 0) TILES(S##STRIDE##_ROW, STRIDE, args->n_rows - 1, 1, 2, 2, args->out_col_stride)                                      \
    }                                                                                                                                                 \
    return true;                                                                                                                                      \
  }

KERNEL(1)
KERNEL(2)
