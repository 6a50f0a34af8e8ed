// Hot loops of 5x5 depthwise convolution without dot products, for the usual output stages and filters without a zero
// point. depthwise_pairs_neon.c computes other cases.
//
// Tile: one output row of 16 channels, two columns; the last tile of an odd row computes a column again. A tap is
// paired with the tap of the next row, a tap of the last row with its neighbour. Three pairs are in progress at a time,
// so that in-order cores have six instructions between a result and its use. Pixels and weights are loaded as soon as a
// register is free.
//
// Reads: 16 bytes of each pixel of the window. Writes: 16 bytes of each output pixel. Hazards: those of depthwise_3x3_neon.c; n_cols >= 2.
#define TAPS "25"
#include "kernels/arm64/depthwise_loops_neon.h"

// v0-v9    weights of two rows                  v16-v23  sums
// v10-v15  pixels                               v24-v29  products of two taps
// v30 flips, x0-x7 pixels
//
// clang-format off
#define POINTER(pixel, row, column) "ldr x" #pixel ", [%[row" #row "], #8*" #column "]\n"
#define POINTERS(p0, p1, row0, row1, column) POINTER(p0, row0, column) POINTER(p1, row1, column)
#define LOADS(v0, v1, p0, p1) LOAD(v0, p0) LOAD(v1, p1)
#define INT8_FLIP_ONE(v)
#define INT8_FLIPS(v0, v1)
#define UINT8_FLIP_ONE(v) FLIP(v, 30)
#define UINT8_FLIPS(v0, v1) FLIP(v0, 30) FLIP(v1, 30)
#define STAGE(TYPE, CLAMP, ROUND)                                                                                                       \
  EACH_OF(MULTIPLY, FIRST, 0, 1, 2, 3) EACH_OF(MULTIPLY, SECOND, 0, 1, 2, 3) ROUND##_LOWER(FIRST) ROUND##_LOWER(SECOND)                 \
  EACH_OF(TYPE##_SHIFT, FIRST, 5, 6, 7, 8) EACH_OF(TYPE##_SHIFT, SECOND, 5, 6, 7, 8)                                                    \
  TYPE##_NARROW_LOW(16) TYPE##_NARROW_LOW(18) TYPE##_NARROW_LOW(20) TYPE##_NARROW_LOW(22) CLAMP##_BOUNDS(26, 27)                        \
  TYPE##_NARROW_HIGH(16, 17) TYPE##_NARROW_HIGH(18, 19) TYPE##_NARROW_HIGH(20, 21) TYPE##_NARROW_HIGH(22, 23)                           \
  TYPE##_ADD_ZERO_POINT(16) TYPE##_ADD_ZERO_POINT(20) TYPE##_ADD_ZERO_POINT(18) TYPE##_ADD_ZERO_POINT(22)                               \
  TYPE##_LOW(24, 16) TYPE##_LOW(25, 20) TYPE##_HIGH(24, 18) TYPE##_HIGH(25, 22) CLAMP##_ABOVE(TYPE, 24, 26) CLAMP##_ABOVE(TYPE, 25, 26) \
  CLAMP##_BELOW(TYPE, 24, 27) CLAMP##_BELOW(TYPE, 25, 27) STORE(24) STORE_SECOND(25)

#define S1(TYPE)                                                                                                                                      \
  POINTERS(0, 1, 0, 1, 0) POINTERS(2, 3, 0, 1, 1) BIAS(16, 0) BIAS(17, 1) BIAS(18, 2) BIAS(19, 3) WEIGHT(0, 0) WEIGHT(1, 1) WEIGHT(2, 2) WEIGHT(3, 3) \
  WEIGHT(4, 4) WEIGHT(5, 5) WEIGHT(6, 6) WEIGHT(7, 7) WEIGHT(8, 8) WEIGHT(9, 9) LOADS(10, 11, 0, 1) LOADS(12, 13, 2, 3) POINTERS(4, 5, 0, 1, 2)       \
  POINTERS(6, 7, 0, 1, 3) BIAS(20, 0) BIAS(21, 1) BIAS(22, 2) BIAS(23, 3)                                                                             \
  TYPE##_FLIP_BY(30) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(12, 13) TAP(24, 25, 10, 0) TAP(26, 27, 12, 0) TAP(28, 29, 12, 1) AND_TAP(24, 25, 11, 5)        \
  AND_TAP(26, 27, 13, 5) AND_TAP(28, 29, 13, 6)                                                                                                       \
  LOADS(10, 11, 4, 5) LOADS(12, 13, 6, 7) POINTERS(0, 1, 0, 1, 4) WEIGHT(0, 10) WEIGHT(5, 15)                                                         \
  ADD(24, 25, FIRST) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(12, 13) TAP(24, 25, 10, 1) ADD(26, 27, SECOND) TAP(26, 27, 10, 2) ADD(28, 29, FIRST)           \
  TAP(28, 29, 12, 2) AND_TAP(24, 25, 11, 6) AND_TAP(26, 27, 11, 7) AND_TAP(28, 29, 13, 7)                                                             \
  LOADS(10, 11, 0, 1) POINTERS(2, 3, 0, 1, 5) POINTERS(4, 5, 2, 3, 0) POINTERS(6, 7, 2, 3, 1) WEIGHT(1, 11) WEIGHT(2, 12) WEIGHT(6, 16) WEIGHT(7, 17) \
  ADD(24, 25, SECOND) TYPE##_FLIPS(10, 11) TAP(24, 25, 12, 3) ADD(26, 27, FIRST) TAP(26, 27, 10, 3) ADD(28, 29, SECOND) TAP(28, 29, 10, 4)            \
  AND_TAP(24, 25, 13, 8) AND_TAP(26, 27, 11, 8) AND_TAP(28, 29, 11, 9)                                                                                \
  LOADS(10, 11, 2, 3) LOADS(12, 13, 4, 5) LOADS(14, 15, 6, 7) POINTERS(0, 1, 2, 3, 2) WEIGHT(3, 13) WEIGHT(8, 18)                                     \
  ADD(24, 25, FIRST) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(12, 13) TYPE##_FLIPS(14, 15) TAP(24, 25, 10, 4) ADD(26, 27, SECOND) TAP(26, 27, 12, 0)         \
  ADD(28, 29, FIRST) TAP(28, 29, 14, 0) AND_TAP(24, 25, 11, 9) AND_TAP(26, 27, 13, 5) AND_TAP(28, 29, 15, 5)                                          \
  LOADS(10, 11, 0, 1) POINTERS(2, 3, 2, 3, 3) POINTERS(4, 5, 2, 3, 4) WEIGHT(4, 14) WEIGHT(9, 19) WEIGHT(0, 20)                                       \
  ADD(24, 25, SECOND) TYPE##_FLIPS(10, 11) TAP(24, 25, 14, 1) ADD(26, 27, FIRST) TAP(26, 27, 10, 1) ADD(28, 29, SECOND) TAP(28, 29, 10, 2)            \
  AND_TAP(24, 25, 15, 6) AND_TAP(26, 27, 11, 6) AND_TAP(28, 29, 11, 7)                                                                                \
  LOADS(10, 11, 2, 3) LOADS(12, 13, 4, 5) POINTERS(6, 7, 2, 3, 5) POINTER(0, 4, 0) POINTER(1, 4, 1) WEIGHT(1, 21)                                     \
  ADD(24, 25, FIRST) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(12, 13) TAP(24, 25, 10, 2) ADD(26, 27, SECOND) TAP(26, 27, 10, 3) ADD(28, 29, FIRST)           \
  TAP(28, 29, 12, 3) AND_TAP(24, 25, 11, 7) AND_TAP(26, 27, 11, 8) AND_TAP(28, 29, 13, 8)                                                             \
  LOADS(10, 11, 6, 7) LOADS(14, 15, 0, 1) POINTER(2, 4, 2) POINTER(3, 4, 3) POINTER(4, 4, 4) WEIGHT(2, 22) WEIGHT(3, 23)                              \
  ADD(24, 25, SECOND) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(14, 15) TAP(24, 25, 12, 4) ADD(26, 27, FIRST) TAP(26, 27, 10, 4) ADD(28, 29, SECOND)          \
  TAP(28, 29, 14, 0) AND_TAP(24, 25, 13, 9) AND_TAP(26, 27, 11, 9) AND_TAP(28, 29, 15, 1)                                                             \
  LOADS(10, 11, 2, 3) LOAD(12, 4) POINTER(5, 4, 5) WEIGHT(4, 24)                                                                                      \
  ADD(24, 25, FIRST) TYPE##_FLIPS(10, 11) TYPE##_FLIP_ONE(12) TAP(24, 25, 15, 0) ADD(26, 27, SECOND) TAP(26, 27, 10, 2) ADD(28, 29, FIRST)            \
  TAP(28, 29, 11, 2) AND_TAP(24, 25, 10, 1) AND_TAP(26, 27, 11, 3) AND_TAP(28, 29, 12, 3)                                                             \
  LOAD(10, 5)                                                                                                                                         \
  ADD(24, 25, SECOND) TYPE##_FLIP_ONE(10) TAP(24, 25, 12, 4) ADD(26, 27, FIRST) TAP(26, 27, 10, 4) ADD(28, 29, SECOND)                                \
  MULTIPLIER(0, 0) MULTIPLIER(1, 1) MULTIPLIER(2, 2) MULTIPLIER(3, 3) SHIFT(5, 0) SHIFT(6, 1) SHIFT(7, 2) SHIFT(8, 3) TYPE##_ZERO_POINT               \
  ADD(24, 25, FIRST) ADD(26, 27, SECOND)

#define S2(TYPE)                                                                                                                                      \
  POINTERS(0, 1, 0, 1, 0) POINTERS(2, 3, 0, 1, 1) POINTERS(4, 5, 0, 1, 2) BIAS(16, 0) BIAS(17, 1) BIAS(18, 2) BIAS(19, 3) WEIGHT(0, 0) WEIGHT(1, 1)   \
  WEIGHT(2, 2) WEIGHT(3, 3) WEIGHT(4, 4) WEIGHT(5, 5) WEIGHT(6, 6) WEIGHT(7, 7) WEIGHT(8, 8) WEIGHT(9, 9) LOADS(10, 11, 0, 1) LOADS(12, 13, 2, 3)     \
  LOADS(14, 15, 4, 5) POINTERS(6, 7, 0, 1, 3) POINTERS(0, 1, 0, 1, 4) BIAS(20, 0) BIAS(21, 1) BIAS(22, 2) BIAS(23, 3)                                 \
  TYPE##_FLIP_BY(30) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(12, 13) TYPE##_FLIPS(14, 15) TAP(24, 25, 10, 0) TAP(26, 27, 14, 0) TAP(28, 29, 12, 1)          \
  AND_TAP(24, 25, 11, 5) AND_TAP(26, 27, 15, 5) AND_TAP(28, 29, 13, 6)                                                                                \
  LOADS(10, 11, 6, 7) LOADS(12, 13, 0, 1) POINTERS(2, 3, 0, 1, 5) WEIGHT(0, 10) WEIGHT(5, 15)                                                         \
  ADD(24, 25, FIRST) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(12, 13) TAP(24, 25, 10, 1) ADD(26, 27, SECOND) TAP(26, 27, 14, 2) ADD(28, 29, FIRST)           \
  TAP(28, 29, 12, 2) AND_TAP(24, 25, 11, 6) AND_TAP(26, 27, 15, 7) AND_TAP(28, 29, 13, 7)                                                             \
  LOADS(14, 15, 2, 3) POINTERS(4, 5, 0, 1, 6) POINTERS(6, 7, 2, 3, 0) POINTERS(0, 1, 2, 3, 2) WEIGHT(1, 11) WEIGHT(2, 12) WEIGHT(6, 16) WEIGHT(7, 17) \
  ADD(24, 25, SECOND) TYPE##_FLIPS(14, 15) TAP(24, 25, 10, 3) ADD(26, 27, FIRST) TAP(26, 27, 14, 3) ADD(28, 29, SECOND) TAP(28, 29, 12, 4)            \
  AND_TAP(24, 25, 11, 8) AND_TAP(26, 27, 15, 8) AND_TAP(28, 29, 13, 9)                                                                                \
  LOADS(10, 11, 4, 5) LOADS(12, 13, 6, 7) LOADS(14, 15, 0, 1) POINTERS(2, 3, 2, 3, 1) POINTERS(4, 5, 2, 3, 3) WEIGHT(3, 13) WEIGHT(8, 18)             \
  ADD(24, 25, FIRST) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(12, 13) TYPE##_FLIPS(14, 15) TAP(24, 25, 10, 4) ADD(26, 27, SECOND) TAP(26, 27, 12, 0)         \
  ADD(28, 29, FIRST) TAP(28, 29, 14, 0) AND_TAP(24, 25, 11, 9) AND_TAP(26, 27, 13, 5) AND_TAP(28, 29, 15, 5)                                          \
  LOADS(10, 11, 2, 3) LOADS(12, 13, 4, 5) POINTERS(6, 7, 2, 3, 4) POINTERS(0, 1, 2, 3, 5) WEIGHT(4, 14) WEIGHT(9, 19) WEIGHT(0, 20)                   \
  ADD(24, 25, SECOND) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(12, 13) TAP(24, 25, 10, 1) ADD(26, 27, FIRST) TAP(26, 27, 12, 1) ADD(28, 29, SECOND)          \
  TAP(28, 29, 14, 2) AND_TAP(24, 25, 11, 6) AND_TAP(26, 27, 13, 6) AND_TAP(28, 29, 15, 7)                                                             \
  LOADS(10, 11, 6, 7) LOADS(14, 15, 0, 1) POINTERS(2, 3, 2, 3, 6) POINTER(4, 4, 0) POINTER(5, 4, 1) WEIGHT(1, 21)                                     \
  ADD(24, 25, FIRST) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(14, 15) TAP(24, 25, 10, 2) ADD(26, 27, SECOND) TAP(26, 27, 12, 3) ADD(28, 29, FIRST)           \
  TAP(28, 29, 14, 3) AND_TAP(24, 25, 11, 7) AND_TAP(26, 27, 13, 8) AND_TAP(28, 29, 15, 8)                                                             \
  LOADS(12, 13, 2, 3) LOADS(14, 15, 4, 5) POINTER(6, 4, 2) POINTER(7, 4, 3) POINTER(0, 4, 4) POINTER(1, 4, 5) WEIGHT(2, 22) WEIGHT(3, 23)             \
  ADD(24, 25, SECOND) TYPE##_FLIPS(12, 13) TYPE##_FLIPS(14, 15) TAP(24, 25, 10, 4) ADD(26, 27, FIRST) TAP(26, 27, 12, 4) ADD(28, 29, SECOND)          \
  TAP(28, 29, 14, 0) AND_TAP(24, 25, 11, 9) AND_TAP(26, 27, 13, 9) AND_TAP(28, 29, 15, 1)                                                             \
  LOADS(10, 11, 6, 7) LOADS(12, 13, 0, 1) POINTER(2, 4, 6) WEIGHT(4, 24)                                                                              \
  ADD(24, 25, FIRST) TYPE##_FLIPS(10, 11) TYPE##_FLIPS(12, 13) TAP(24, 25, 10, 0) ADD(26, 27, SECOND) TAP(26, 27, 10, 2) ADD(28, 29, FIRST)           \
  TAP(28, 29, 12, 2) AND_TAP(24, 25, 11, 1) AND_TAP(26, 27, 11, 3) AND_TAP(28, 29, 13, 3)                                                             \
  LOAD(10, 2)                                                                                                                                         \
  ADD(24, 25, SECOND) TYPE##_FLIP_ONE(10) TAP(24, 25, 12, 4) ADD(26, 27, FIRST) TAP(26, 27, 10, 4) ADD(28, 29, SECOND)                                \
  MULTIPLIER(0, 0) MULTIPLIER(1, 1) MULTIPLIER(2, 2) MULTIPLIER(3, 3) SHIFT(5, 0) SHIFT(6, 1) SHIFT(7, 2) SHIFT(8, 3) TYPE##_ZERO_POINT               \
  ADD(24, 25, FIRST) ADD(26, 27, SECOND)

#define LOOP(STRIDE, TYPE, CLAMP, FILTER, ROUND)                                                                              \
  static void LOOP_NAME(STRIDE, TYPE, CLAMP, FILTER, ROUND)(struct block *block) {                                            \
    const struct tvmq_depthwise_args *args = block->args;                                                                     \
    for (size_t b = 0; begin(block, b); b++) {                                                                                \
      for (size_t y = 0; y < args->n_rows; y++) {                                                                             \
        for (size_t x = 0; x < args->n_cols; x += 2) {                                                                        \
          const size_t first = x + 1 < args->n_cols ? x : x - 1, step = args->pixels_stride;                                  \
          const void *const *row = args->pixels + y * args->stride_h * step + first * STRIDE;                                 \
          uint8_t *out = block->out + y * args->out_row_stride + first * args->out_col_stride;                                \
          __asm__ volatile(S##STRIDE(TYPE) STAGE(TYPE, CLAMP, ROUND)                                                          \
                           : [out] "+r"(out)                                                                                  \
                           : [row0] "r"(row), [row1] "r"(row + step), [row2] "r"(row + 2 * step), [row3] "r"(row + 3 * step), \
                             [row4] "r"(row + 4 * step), [channel] "r"(block->channel), [panel] "r"(block->panel),            \
                             [stage] "r"(&block->stage), [out_column] "r"(args->out_col_stride)                               \
                           : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", ALL_VECTORS, "cc", "memory");                    \
        }                                                                                                                     \
      }                                                                                                                       \
    }                                                                                                                         \
  }
#define ALL_LOOPS(STRIDE)                                                                                              \
  LOOPS(STRIDE, INT8, WHOLE, SYMMETRIC) LOOPS(STRIDE, INT8, CLAMPED, SYMMETRIC) LOOPS(STRIDE, UINT8, WHOLE, SYMMETRIC) \
  LOOPS(STRIDE, UINT8, CLAMPED, SYMMETRIC)
ALL_LOOPS(1)
ALL_LOOPS(2)

#define TABLE(STRIDE)                                                                      \
  {{{ROUNDS(STRIDE, INT8, WHOLE, SYMMETRIC)}, {ROUNDS(STRIDE, INT8, CLAMPED, SYMMETRIC)}}, \
   {{ROUNDS(STRIDE, UINT8, WHOLE, SYMMETRIC)}, {ROUNDS(STRIDE, UINT8, CLAMPED, SYMMETRIC)}}}
static loop_table s1 = TABLE(1), s2 = TABLE(2);
// clang-format on

bool tvmq_depthwise_5x5_neon(const struct tvmq_depthwise_args *args) { return args->n_cols >= 2 && run_loops(args, args->stride_w == 1 ? &s1 : &s2); }
