// The hot loops of 3x3 depthwise convolution by dot products down the rows, for the usual output stages; depthwise_dotprod.c takes the rest.
//
// Tile: two output rows of 8 channels, two columns at a time, whose 8 accumulators are requantized together: in-order cores need that much independent work.
// An odd last row is computed alone. Tiles below each other go on with the same constants in registers.
//
// Rows are interleaved once per input column into quads (32-bit lanes of four rows of a channel), which serve every kernel column and are used for the sums
// that end with the column as well as for those that begin with it. The loops are inline assembly, because they fill the registers and not every compiler keeps
// them there. Each runs ahead of itself: the pixels that come next are looked up while accumulators are requantized, and a part of them is loaded before the
// next round begins. Past the end it looks up the last pixel again.
//
// Weights less their zero point may exceed int8. Then a second plane holds the same term for every weight (pack_depthwise.h): its quads' products are added
// with the same few registers for each kernel column, and multipliers and shifts, which have to make room, are loaded when they are wanted.
//
// Reads: 8 bytes of each pixel of the window, each once. Writes: 8 bytes of each output pixel. Hazards: sdot does not saturate; the rest is requant_neon.h's
// path of right shifts, whose results must fit int16 if they are int8.
#include "depthwise_dotprod.h"
#include "depthwise_loops_dotprod.h"
#include "requant_neon.h"

// clang-format off
// ---- stride 1: four rows of a column serve both output rows
//
//   v8-v19   weights [kernel column][output row][4 channels]        v20 v21 multipliers, v22 v23 shifts;
//                                                                    or v20 v21 the second plane (a register an output row), v22 v23 either
//   v28-v31  rows of the left column, which become quads in v24 v25
//   v26 v27 v29 v31  rows of the right one, which become quads in v26 v27
#define S1_LEFT 24, 25, 24, 25
#define S1_RIGHT 26, 27, 26, 27
#define S1_W0 8, 9, 10, 11
#define S1_W1 12, 13, 14, 15
#define S1_W2 16, 17, 18, 19
#define S1_TERM 20, 20, 21, 21
#define S1_ONE_PLANE_PARAMS 20, 21, , 22, 23,
#define S1_TWO_PLANES_PARAMS 22, 23, CONSTANTS(22, 23, 26), 22, 23, CONSTANTS(22, 23, 28)
#define S1_LOOKUP(i) S1_LOOKUP_##i
#define S1_LOOKUP_0 POINTER(0, 0, 19)
#define S1_LOOKUP_1 POINTER(1, 1, 19)
#define S1_LOOKUP_2 POINTER(2, 2, 19)
#define S1_LOOKUP_3 POINTER(3, 3, 19)
#define S1_LOOKUP_4 POINTER(4, 0, 20)
#define S1_LOOKUP_5 POINTER(5, 1, 20)
#define S1_LOOKUP_6 POINTER(6, 2, 20)
#define S1_LOOKUP_7 POINTER(7, 3, 20)
#define S1_LOOKUP_8
#define S1_LOOKUP_9
#define S1_LOOKUP_LEFT S1_LOOKUP_0 S1_LOOKUP_1 S1_LOOKUP_2 S1_LOOKUP_3
#define S1_LOOKUP_RIGHT S1_LOOKUP_4 S1_LOOKUP_5 S1_LOOKUP_6 S1_LOOKUP_7
#define S1_LOAD_LEFT LOAD(28, 0) LOAD(29, 1) LOAD(30, 2) LOAD(31, 3)
#define S1_COLUMNS(FROM, SUMS)                                                                              \
  LOAD(26, 4) LOAD(27, 5) ZIP(zip1, 16b, 28, 28, 29) ZIP(zip1, 16b, 30, 30, 31) LOAD(29, 6) LOAD(31, 7)     \
  ZIP(zip1, 16b, 26, 26, 27) ZIP(zip1, 8h, 24, 28, 30) ZIP(zip2, 8h, 25, 28, 30) ZIP(zip1, 16b, 29, 29, 31) \
  FROM##_BY(30) FROM(24, 30) FROM(25, 30) SUMS ZIP(zip2, 8h, 27, 26, 29) ZIP(zip1, 8h, 26, 26, 29) FROM(26, 30) FROM(27, 30)
#define S1_LAST_COLUMN(FROM) \
  ZIP(zip1, 16b, 28, 28, 29) ZIP(zip1, 16b, 30, 30, 31) FROM##_BY(31) FROM(28, 31) FROM(30, 31) ZIP(zip1, 8h, 24, 28, 30) ZIP(zip2, 8h, 25, 28, 30)
#define S1_START(P, ...)                                                                            \
  S1_LOAD_LEFT BIASES(0, 1, 2, 3) P(FIRST, S1_LEFT, S1_TERM, S1_W0, __VA_ARGS__) BIASES(4, 5, 6, 7) \
  P(FIRST, S1_RIGHT, S1_TERM, S1_W1) P(SECOND, S1_RIGHT, S1_TERM, S1_W0)

#define S1(FROM, ROUND, NARROW, TO_BYTE, P)                                                                                                                 \
  "mov x19, #0\n"                                                                                                                                           \
  "mov x20, #8\n"                                                                                                                                           \
  S1_LOOKUP_LEFT S1_LOOKUP_RIGHT S1_LOAD_LEFT S1_COLUMNS(FROM, ) ADVANCE(, ) S1_LOOKUP_LEFT S1_START(P, S1_LOOKUP_4, S1_LOOKUP_5, S1_LOOKUP_6, S1_LOOKUP_7) \
  "subs %[n], %[n], #2\n"                                                                                                                                   \
  "b.lo 2f\n"                                                                                                                                               \
  "1:\n"                                                                                                                                                    \
  S1_COLUMNS(FROM, P(SECOND, S1_LEFT, S1_TERM, S1_W1)) ADVANCE(P(FIRST, S1_LEFT, S1_TERM, S1_W2), P(SECOND, S1_RIGHT, S1_TERM, S1_W2))                      \
  STAGE(S1_##P##_PARAMS, ROUND, NARROW, TO_BYTE, S1_LOOKUP) S1_START(P, )                                                                                   \
  "subs %[n], %[n], #2\n"                                                                                                                                   \
  "b.hs 1b\n"                                                                                                                                               \
  "2: tbz %[n], #0, 3f\n"                                                                                                                                   \
  S1_LAST_COLUMN(FROM)                                                                                                                                      \
  P(FIRST, S1_LEFT, S1_TERM, S1_W2) HALF_STAGE(24, 25, 26, 27, S1_##P##_PARAMS, ROUND, NARROW, TO_BYTE, NO_LOOKUP)                                          \
  "3:\n"

// The same for an output row alone, whose third row of pixels is the fourth as well: v8 v9, v12 v13 and v16 v17 are all weights.
#define S1_ROW_LEFT 24, 25
#define S1_ROW_RIGHT 26, 27
#define S1_ROW_TERM 20, 20
#define S1_ROW_TERMS 20, 20, 20, 20
#define S1_ROW_START(P) \
  S1_LOAD_LEFT BIASES(0, 1, 2, 3) P(LEFT, S1_ROW_LEFT, S1_ROW_TERM, 8, 9) P(FIRST, S1_RIGHT, S1_ROW_TERMS, 12, 13, 8, 9)

#define S1_ROW(FROM, ROUND, NARROW, TO_BYTE, P)                                                                                       \
  "mov x19, #0\n"                                                                                                                     \
  "mov x20, #8\n"                                                                                                                     \
  S1_LOOKUP_LEFT S1_LOOKUP_RIGHT S1_LOAD_LEFT S1_COLUMNS(FROM, ) ADVANCE(, ) S1_LOOKUP_LEFT S1_LOOKUP_RIGHT S1_ROW_START(P)           \
  "subs %[n], %[n], #2\n"                                                                                                             \
  "b.lo 2f\n"                                                                                                                         \
  "1:\n"                                                                                                                              \
  S1_COLUMNS(FROM, P(FIRST, S1_LEFT, S1_ROW_TERMS, 16, 17, 12, 13)) ADVANCE(, P(RIGHT, S1_ROW_RIGHT, S1_ROW_TERM, 16, 17))            \
  HALF_STAGE(28, 29, 30, 31, S1_##P##_PARAMS, ROUND, NARROW, TO_BYTE, S1_LOOKUP) NEXT_COLUMNS S1_ROW_START(P)                         \
  "subs %[n], %[n], #2\n"                                                                                                             \
  "b.hs 1b\n"                                                                                                                         \
  "2: tbz %[n], #0, 3f\n"                                                                                                             \
  S1_LAST_COLUMN(FROM)                                                                                                                \
  P(LEFT, S1_ROW_LEFT, S1_ROW_TERM, 16, 17) ONLY_FIRST HALF_STAGE(24, 25, 26, 27, S1_##P##_PARAMS, ROUND, NARROW, TO_BYTE, NO_LOOKUP) \
  "3:\n"

// ---- stride 2: five rows of a column, the middle one for both output rows
//
//   v8-v11   quads of an even column: v8 v9 output row 0, v10 v11 output row 1; before, rows in v27-v31
//   v12-v15  quads of the odd column before it; before, rows in these and v26
//   v16-v21  weights [kernel column][4 channels]                    v22 v23 multipliers, v24 v25 shifts;
//                                                                   or v22 the second plane, v24 v25 either
#define S2_EVEN 8, 9, 10, 11
#define S2_ODD 12, 13, 14, 15
#define S2_W0 16, 17, 16, 17
#define S2_W1 18, 19, 18, 19
#define S2_W2 20, 21, 20, 21
#define S2_TERM 22, 22, 22, 22
#define S2_ONE_PLANE_PARAMS 22, 23, , 24, 25,
#define S2_TWO_PLANES_PARAMS 24, 25, CONSTANTS(24, 25, 14), 24, 25, CONSTANTS(24, 25, 16)
#define S2_LOOKUP(i) S2_LOOKUP_##i
#define S2_LOOKUP_0 POINTER(0, 0, 19)
#define S2_LOOKUP_1 POINTER(1, 1, 19)
#define S2_LOOKUP_2 POINTER(2, 2, 19)
#define S2_LOOKUP_3 POINTER(3, 3, 19)
#define S2_LOOKUP_4 POINTER(4, 4, 19)
#define S2_LOOKUP_5 POINTER(5, 0, 20)
#define S2_LOOKUP_6 POINTER(6, 1, 20)
#define S2_LOOKUP_7 POINTER(7, 2, 20)
#define S2_LOOKUP_8 POINTER(8, 3, 20)
#define S2_LOOKUP_9 POINTER(9, 4, 20)
#define S2_LOOKUP_ODD S2_LOOKUP_0 S2_LOOKUP_1 S2_LOOKUP_2 S2_LOOKUP_3 S2_LOOKUP_4
#define S2_LOOKUP_EVEN S2_LOOKUP_5 S2_LOOKUP_6 S2_LOOKUP_7 S2_LOOKUP_8 S2_LOOKUP_9
#define S2_LOAD_ODD LOAD(12, 0) LOAD(13, 1) LOAD(14, 2) LOAD(15, 3) LOAD(26, 4)
#define S2_LOAD_EVEN LOAD(27, 5) LOAD(28, 6) LOAD(29, 7) LOAD(30, 8) LOAD(31, 9)
#define S2_PAIRS(r0, r1, r2, r3, r4) ZIP(zip1, 16b, r0, r0, r1) ZIP(zip1, 16b, r2, r2, r3) ZIP(zip1, 16b, r4, r4, r4)
#define S2_QUADS(q0, q1, q2, q3, p0, p1, p2) ZIP(zip1, 8h, q0, p0, p1) ZIP(zip2, 8h, q1, p0, p1) ZIP(zip2, 8h, q3, p1, p2) ZIP(zip1, 8h, q2, p1, p2)
#define S2_EVEN_QUADS(FROM) FROM(27, 28) FROM(29, 28) FROM(31, 28) S2_QUADS(8, 9, 10, 11, 27, 29, 31)
#define S2_COLUMNS(FROM)                                                                                                      \
  S2_LOAD_EVEN S2_PAIRS(12, 13, 14, 15, 26) S2_PAIRS(27, 28, 29, 30, 31) FROM##_BY(28) FROM(12, 28) FROM(14, 28) FROM(26, 28) \
  ZIP(zip2, 8h, 13, 12, 14) ZIP(zip1, 8h, 12, 12, 14) ZIP(zip2, 8h, 15, 14, 26) ZIP(zip1, 8h, 14, 14, 26) S2_EVEN_QUADS(FROM)

#define S2(FROM, ROUND, NARROW, TO_BYTE, P)                                                                                                                 \
  "mov x20, #0\n"                                                                                                                                           \
  S2_LOOKUP_EVEN S2_LOAD_EVEN S2_PAIRS(27, 28, 29, 30, 31) FROM##_BY(28) S2_EVEN_QUADS(FROM)                                                                \
  "mov x19, #8\n"                                                                                                                                           \
  "mov x20, #16\n"                                                                                                                                          \
  S2_LOOKUP_ODD S2_LOOKUP_EVEN S2_LOAD_ODD BIASES(0, 1, 2, 3) P(FIRST, S2_EVEN, S2_TERM, S2_W0)                                                             \
  "subs %[n], %[n], #2\n"                                                                                                                                   \
  "b.lo 2f\n"                                                                                                                                               \
  "1:\n"                                                                                                                                                    \
  S2_COLUMNS(FROM) ADVANCE(BIASES(4, 5, 6, 7), )                                                                                                            \
  P(FIRST, S2_ODD, S2_TERM, S2_W1, S2_LOOKUP_0, S2_LOOKUP_1, S2_LOOKUP_2, S2_LOOKUP_3)                                                                      \
  P(FIRST, S2_EVEN, S2_TERM, S2_W2, S2_LOOKUP_4, S2_LOOKUP_5, S2_LOOKUP_6, S2_LOOKUP_7)                                                                     \
  S2_LOAD_ODD P(SECOND, S2_EVEN, S2_TERM, S2_W0, S2_LOOKUP_8, S2_LOOKUP_9)                                                                                  \
  S2_COLUMNS(FROM) ADVANCE(P(SECOND, S2_ODD, S2_TERM, S2_W1), P(SECOND, S2_EVEN, S2_TERM, S2_W2)) STAGE(S2_##P##_PARAMS, ROUND, NARROW, TO_BYTE, S2_LOOKUP) \
  S2_LOAD_ODD BIASES(0, 1, 2, 3) P(FIRST, S2_EVEN, S2_TERM, S2_W0)                                                                                          \
  "subs %[n], %[n], #2\n"                                                                                                                                   \
  "b.hs 1b\n"                                                                                                                                               \
  "2: tbz %[n], #0, 3f\n"                                                                                                                                   \
  S2_COLUMNS(FROM) P(FIRST, S2_ODD, S2_TERM, S2_W1) P(FIRST, S2_EVEN, S2_TERM, S2_W2)                                                                       \
  HALF_STAGE(28, 29, 30, 31, S2_##P##_PARAMS, ROUND, NARROW, TO_BYTE, NO_LOOKUP)                                                                            \
  "3:\n"

// The same for an output row alone: v8 v9 quads of an even column, rows in v27-v29 before; v12 v13 of the odd one, rows in v12-v14.
#define S2_ROW_EVEN 8, 9
#define S2_ROW_EVEN_TWICE 8, 9, 8, 9
#define S2_ROW_ODD 12, 13
#define S2_ROW_TERM 22, 22
#define S2_ROW_LOOKUP(i) S2_ROW_LOOKUP_##i
#define S2_ROW_LOOKUP_0 POINTER(0, 0, 19)
#define S2_ROW_LOOKUP_1 POINTER(1, 1, 19)
#define S2_ROW_LOOKUP_2 POINTER(2, 2, 19)
#define S2_ROW_LOOKUP_3 POINTER(5, 0, 20)
#define S2_ROW_LOOKUP_4 POINTER(6, 1, 20)
#define S2_ROW_LOOKUP_5 POINTER(7, 2, 20)
#define S2_ROW_LOOKUP_6
#define S2_ROW_LOOKUP_7
#define S2_ROW_LOOKUP_8
#define S2_ROW_LOOKUP_9
#define S2_ROW_LOOKUP_ODD S2_ROW_LOOKUP_0 S2_ROW_LOOKUP_1 S2_ROW_LOOKUP_2
#define S2_ROW_LOOKUP_EVEN S2_ROW_LOOKUP_3 S2_ROW_LOOKUP_4 S2_ROW_LOOKUP_5
#define S2_ROW_LOAD_ODD LOAD(12, 0) LOAD(13, 1) LOAD(14, 2)
#define S2_ROW_LOAD_EVEN LOAD(27, 5) LOAD(28, 6) LOAD(29, 7)
#define S2_ROW_EVEN_PAIRS ZIP(zip1, 16b, 27, 27, 28) ZIP(zip1, 16b, 29, 29, 29)
#define S2_ROW_EVEN_QUADS(FROM) FROM(27, 28) FROM(29, 28) ZIP(zip1, 8h, 8, 27, 29) ZIP(zip2, 8h, 9, 27, 29)
#define S2_ROW_COLUMNS(FROM)                                                                                                       \
  S2_ROW_LOAD_EVEN ZIP(zip1, 16b, 12, 12, 13) ZIP(zip1, 16b, 14, 14, 14) S2_ROW_EVEN_PAIRS FROM##_BY(28) FROM(12, 28) FROM(14, 28) \
  ZIP(zip2, 8h, 13, 12, 14) ZIP(zip1, 8h, 12, 12, 14) S2_ROW_EVEN_QUADS(FROM)
#define S2_ROW_START(P) S2_ROW_LOAD_ODD BIASES(0, 1, 2, 3) P(LEFT, S2_ROW_EVEN, S2_ROW_TERM, 16, 17)

#define S2_ROW(FROM, ROUND, NARROW, TO_BYTE, P)                                                                                            \
  "mov x20, #0\n"                                                                                                                          \
  S2_ROW_LOOKUP_EVEN S2_ROW_LOAD_EVEN S2_ROW_EVEN_PAIRS FROM##_BY(28) S2_ROW_EVEN_QUADS(FROM)                                              \
  "mov x19, #8\n"                                                                                                                          \
  "mov x20, #16\n"                                                                                                                         \
  S2_ROW_LOOKUP_ODD S2_ROW_LOOKUP_EVEN S2_ROW_START(P)                                                                                     \
  "subs %[n], %[n], #2\n"                                                                                                                  \
  "b.lo 2f\n"                                                                                                                              \
  "1:\n"                                                                                                                                   \
  S2_ROW_COLUMNS(FROM) ADVANCE(, ) P(LEFT, S2_ROW_ODD, S2_ROW_TERM, 18, 19, S2_ROW_LOOKUP_0, S2_ROW_LOOKUP_1)                              \
  P(FIRST, S2_ROW_EVEN_TWICE, S2_TERM, 20, 21, 16, 17, S2_ROW_LOOKUP_2, S2_ROW_LOOKUP_3, S2_ROW_LOOKUP_4, S2_ROW_LOOKUP_5) S2_ROW_LOAD_ODD \
  S2_ROW_COLUMNS(FROM) ADVANCE(P(RIGHT, S2_ROW_ODD, S2_ROW_TERM, 18, 19), P(RIGHT, S2_ROW_EVEN, S2_ROW_TERM, 20, 21))                      \
  HALF_STAGE(28, 29, 30, 31, S2_##P##_PARAMS, ROUND, NARROW, TO_BYTE, S2_ROW_LOOKUP) NEXT_COLUMNS S2_ROW_START(P)                          \
  "subs %[n], %[n], #2\n"                                                                                                                  \
  "b.hs 1b\n"                                                                                                                              \
  "2: tbz %[n], #0, 3f\n"                                                                                                                  \
  S2_ROW_COLUMNS(FROM) P(LEFT, S2_ROW_ODD, S2_ROW_TERM, 18, 19) P(LEFT, S2_ROW_EVEN, S2_ROW_TERM, 20, 21)                                  \
  ONLY_FIRST HALF_STAGE(28, 29, 30, 31, S2_##P##_PARAMS, ROUND, NARROW, TO_BYTE, NO_LOOKUP)                                                \
  "3:\n"

// ---- kernels

// The outputs that the loops make: int8 of int8, or uint8 of uint8, by right shifts.
enum usual { UNUSUAL, INT8, INT8_CLAMPED, UINT8, UINT8_WIDE, UINT8_CLAMPED, UINT8_TWO_PLANES, UINT8_TWO_PLANES_CLAMPED };

static enum usual usual(const struct tvmq_depthwise_args *args) {
  const struct tvmq_stage *stage = args->stage;
  const bool clamps = tvmq_stage_clamps(stage);
  if (args->in_flip != stage->flip || stage->rounding == TVMQ_ROUNDING_SINGLE || !stage->right_shifts) return UNUSUAL;
  if (stage->flip && args->n_planes == 2) return clamps ? UINT8_TWO_PLANES_CLAMPED : UINT8_TWO_PLANES;
  if (args->n_planes > 1) return UNUSUAL;
  if (stage->flip) return clamps ? UINT8_CLAMPED : stage->fits_int16 ? UINT8 : UINT8_WIDE;
  return !stage->fits_int16 ? UNUSUAL : clamps ? INT8_CLAMPED : INT8;
}

// 8 biases, the weights, 8 multipliers, 8 shifts.
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

// A column of tiles of one block.
struct tiles {
  struct tvmq_neon_output output;
  size_t row_step, out_step;  // bytes from where a tile's pointers begin, and from where its outputs end, to the next tile's
  size_t n_cols;
};
_Static_assert(offsetof(struct tiles, row_step) == 48 && offsetof(struct tiles, n_cols) == 64, "read by NEXT_TILE");
#define NEXT_TILE                                                                                   \
  "subs %[n_tiles], %[n_tiles], #1\n"                                                               \
  "b.eq 4f\n"                                                                                       \
  "ldp x0, x1, [%[tiles], #48]\n"                                                                   \
  "ldr %[n], [%[tiles], #64]\n"                                                                     \
  NEXT(row0, 0) NEXT(row1, 0) NEXT(row2, 0) NEXT(row3, 0) NEXT(row4, 0) NEXT(out0, 1) NEXT(out1, 1) \
  "b 0b\n"                                                                                          \
  "4:\n"
#define NEXT(pointer, step) "add %[" #pointer "], %[" #pointer "], x" #step "\n"

#define LOOP(CONSTANTS, ...)                                                                                                                             \
  __asm__ volatile(CONSTANTS "0:\n" __VA_ARGS__ NEXT_TILE                                                                                                \
          : [n] "+r"(n), [n_tiles] "+r"(n_tiles), [out0] "+r"(out0), [out1] "+r"(out1), [row0] "+r"(row0), [row1] "+r"(row1), [row2] "+r"(row2),         \
            [row3] "+r"(row3), [row4] "+r"(row4)                                                                                                         \
          : [last] "r"(last), [channel] "r"(channel), [panel] "r"(panel), [out_column] "r"(args->out_col_stride), [tiles] "r"(&tiles)                    \
          : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x19", "x20", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", \
            "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",  \
            "v31", "cc", "memory")

// What suits the call.
#define CASE(KIND, TILE, PLANES, ...)                             \
  case KIND:                                                      \
    LOOP(TILE##_##PLANES##_CONSTANTS, TILE(__VA_ARGS__, PLANES)); \
    break;
#define LOOPS(TILE, ROUND)                                                                            \
  switch (kind) {                                                                                     \
    CASE(INT8, TILE, ONE_PLANE, FROM_INT8, ROUND, FITTING, TO_INT8)                                   \
    CASE(INT8_CLAMPED, TILE, ONE_PLANE, FROM_INT8, ROUND, FITTING, TO_INT8_CLAMPED)                   \
    CASE(UINT8, TILE, ONE_PLANE, FROM_UINT8, ROUND, FITTING, TO_UINT8)                                \
    CASE(UINT8_WIDE, TILE, ONE_PLANE, FROM_UINT8, ROUND, SATURATING, TO_UINT8)                        \
    CASE(UINT8_CLAMPED, TILE, ONE_PLANE, FROM_UINT8, ROUND, SATURATING, TO_UINT8_CLAMPED)             \
    CASE(UINT8_TWO_PLANES, TILE, TWO_PLANES, FROM_UINT8, ROUND, SATURATING, TO_UINT8)                 \
    CASE(UINT8_TWO_PLANES_CLAMPED, TILE, TWO_PLANES, FROM_UINT8, ROUND, SATURATING, TO_UINT8_CLAMPED) \
    case UNUSUAL:                                                                                     \
      return false;                                                                                   \
  }

// The `count` tiles from row `y` on, one below the other.
#define TILES(TILE, STRIDE, y, count, third, fourth, to_second)                                                              \
  {                                                                                                                          \
    const void *const *row0 = args->pixels + (y) * STRIDE * pitch, *const *row1 = row0 + pitch, *const *row2 = row1 + pitch, \
                      *const *row3 = row0 + (third) * pitch, *const *row4 = row0 + (fourth) * pitch;                         \
    uint8_t *out0 = (uint8_t *)args->out + c + (y) * args->out_row_stride, *out1 = out0 + (to_second);                       \
    size_t n = args->n_cols, n_tiles = count;                                                                                \
    if (ties_up) {                                                                                                           \
      LOOPS(TILE, UP)                                                                                                        \
    } else {                                                                                                                 \
      LOOPS(TILE, AWAY)                                                                                                      \
    }                                                                                                                        \
  }

// Two rows a tile, and an odd last one alone: its two outputs at a time lie side by side, and what it lacks in rows of pixels is its last.
#define KERNEL(STRIDE)                                                                                                             \
  bool tvmq_depthwise_3x3s##STRIDE##_dotprod(const struct tvmq_depthwise_args *args) {                                             \
    const enum usual kind = usual(args);                                                                                           \
    if (kind == UNUSUAL) return false;                                                                                             \
    const size_t pitch = args->pixels_stride, last = ((args->n_cols - 1) * STRIDE + 2) * sizeof(void *);                           \
    const struct tiles tiles = {                                                                                                   \
        .output = tvmq_neon_output(args->stage),                                                                                   \
        .row_step = 2 * STRIDE * pitch * sizeof(void *),                                                                           \
        .out_step = 2 * args->out_row_stride - args->n_cols / 2 * 2 * args->out_col_stride,                                        \
        .n_cols = args->n_cols,                                                                                                    \
    };                                                                                                                             \
    const bool ties_up = tvmq_stage_ties_up(args->stage);                                                                          \
    const char *panel = args->panel;                                                                                               \
    for (size_t channel = args->channel_offset, c = 0; c < args->n_blocks * 8; c += 8, channel += 8, panel += args->panel_bytes) { \
      TILES(S##STRIDE, STRIDE, 0, args->n_rows / 2, 3, STRIDE + 2, args->out_row_stride)                                           \
      if (args->n_rows % 2 != 0) TILES(S##STRIDE##_ROW, STRIDE, args->n_rows - 1, 1, 2, 2, args->out_col_stride)                   \
    }                                                                                                                              \
    return true;                                                                                                                   \
  }

KERNEL(1)
KERNEL(2)
