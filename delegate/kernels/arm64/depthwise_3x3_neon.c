// Hot loops of 3x3 depthwise convolution without dot products, for the usual output stages. depthwise_neon.c computes
// other cases.
//
// Tile: one output row of 16 channels, two columns at a time. The loops are inline assembly, because they use all
// registers and not every compiler keeps values there. They are ordered by hand. In-order cores need six instructions
// between a result and its use, and loads in bunches. Cores with one pipe for products and one for shifts need work for
// both at any time. So the end of two columns is mixed with the start of the next two. Before the loop, the start of
// the first two is done, and pixels are looked up and loaded ahead. Past the end, the last pixel is looked up again.
//
// Reads: 16 bytes of each pixel of the window, each once. Writes: 16 bytes of each output pixel. Hazards: two products fit int16 unless both weights are -128;
// results and their zero point must fit int16 before they are clamped.
#define TAPS "9"
#include "kernels/arm64/depthwise_loops_neon.h"

// v0-v8     weights, row by row              v16-v19  sums of the first column
// v9-v14    pixels                           v20-v23  sums of the second
// v15, v24-v31  products, multipliers and shifts, and what is at hand
// x0-x5 pixels, x6 x7 columns of the table to look up next
//
// clang-format off
#define LOOKUP(pixel, row, column) "ldr x" #pixel ", [%[row" #row "], x" #column ", lsl #3]\n"
#define LOOKUP_LEFT LOOKUP(0, 0, 6) LOOKUP(1, 1, 6) LOOKUP(2, 2, 6)
#define LOOKUP_RIGHT LOOKUP(3, 0, 7) LOOKUP(4, 1, 7) LOOKUP(5, 2, 7)
// Advances by two columns, but not past the last.
#define ADVANCE                \
  "add x6, x6, #2\n"           \
  "cmp x6, %[last]\n"          \
  "csel x6, x6, %[last], lo\n" \
  "cinc x7, x6, lo\n"
#define LOAD_LEFT(v0, v1, v2) LOAD(v0, 0) LOAD(v1, 1) LOAD(v2, 2)
#define LOAD_RIGHT(v0, v1, v2) LOAD(v0, 3) LOAD(v1, 4) LOAD(v2, 5)
#define WEIGHTS \
  WEIGHT(0, 0) WEIGHT(1, 1) WEIGHT(2, 2) WEIGHT(3, 3) WEIGHT(4, 4) WEIGHT(5, 5) WEIGHT(6, 6) WEIGHT(7, 7) WEIGHT(8, 8)
// Adds the term of a filter zero point: the sum of pixels times the zero point.
#define SUM(low, high, x0, x1)                     \
  "saddl v" #low ".8h, v" #x0 ".8b, v" #x1 ".8b\n" \
  "saddl2 v" #high ".8h, v" #x0 ".16b, v" #x1 ".16b\n"
#define AND_PIXEL(low, high, x)                    \
  "saddw v" #low ".8h, v" #low ".8h, v" #x ".8b\n" \
  "saddw2 v" #high ".8h, v" #high ".8h, v" #x ".16b\n"
#define AND_SUM(low, high, l, h)                 \
  "add v" #low ".8h, v" #low ".8h, v" #l ".8h\n" \
  "add v" #high ".8h, v" #high ".8h, v" #h ".8h\n"
#define REPAY_4(low, high, by, a0, a1, a2, a3)      \
  "smlsl v" #a0 ".4s, v" #low ".4h, v" #by ".4h\n"  \
  "smlsl2 v" #a1 ".4s, v" #low ".8h, v" #by ".8h\n" \
  "smlsl v" #a2 ".4s, v" #high ".4h, v" #by ".4h\n" \
  "smlsl2 v" #a3 ".4s, v" #high ".8h, v" #by ".8h\n"
#define REPAY(...) REPAY_4(__VA_ARGS__)
#define LOAD_SUMS(a, b, c, d) "ldp q" #a ", q" #b ", [%[stage], #128]\n" "ldp q" #c ", q" #d ", [%[stage], #160]\n"
#define STORE_SUMS(a, b, c, d) "stp q" #a ", q" #b ", [%[stage], #128]\n" "stp q" #c ", q" #d ", [%[stage], #160]\n"
#define FILTER_ZERO_POINT(v) "dup v" #v ".8h, %w[filter_zero_point]\n"

#define MULTIPLIERS MULTIPLIER(24, 0) MULTIPLIER(25, 1) MULTIPLIER(26, 2) MULTIPLIER(27, 3)
#define SHIFTS SHIFT(28, 0) SHIFT(29, 1) SHIFT(30, 2) SHIFT(31, 3)

// Finishes a last, odd column.
#define LAST_STAGE(TYPE, CLAMP, ROUND)                                                                                                               \
  MULTIPLIERS SHIFTS TYPE##_ZERO_POINT EACH_OF(MULTIPLY, FIRST, 24, 25, 26, 27) ROUND##_LOWER(FIRST) EACH_OF(TYPE##_SHIFT, FIRST, 28, 29, 30, 31)    \
  TYPE##_NARROW_LOW(16) TYPE##_NARROW_LOW(18) TYPE##_NARROW_HIGH(16, 17) TYPE##_NARROW_HIGH(18, 19) CLAMP##_BOUNDS(24, 25) TYPE##_ADD_ZERO_POINT(16) \
  TYPE##_ADD_ZERO_POINT(18) TYPE##_LOW(17, 16) TYPE##_HIGH(17, 18) CLAMP##_ABOVE(TYPE, 17, 24) CLAMP##_BELOW(TYPE, 17, 25) STORE(17)

// ---- stride 1: of two columns of pixels, left v9-v11 and right v12-v14, the sums that end and those that begin
#define S1_BEGIN_1 TAP(24, 25, 12, 0) TAP(26, 27, 9, 0) TAP(28, 29, 11, 6) TAP(30, 31, 12, 1)
#define S1_BEGIN_2 AND_TAP(24, 25, 13, 3) AND_TAP(26, 27, 10, 3) LOAD_LEFT(9, 10, 11)
#define S1_BEGIN_3 AND_TAP(28, 29, 14, 7) AND_TAP(30, 31, 13, 4)
#define S1_BEGIN_4(TYPE)                                                                                                        \
  TYPE##_FLIP_BY(15) ADD_TO(24, 25, SECOND, FIRST) TAP(24, 25, 14, 6) LOAD(14, 5) ADD(26, 27, FIRST) TYPE##_FLIP(15, 9, 10, 11) \
  ADD(24, 25, SECOND) ADD(28, 29, FIRST) TYPE##_FLIP(15, 12, 13, 14) ADD(30, 31, FIRST)
#define S1_END(TYPE)                                                                                                                             \
  TAP(24, 25, 9, 2) TAP(26, 27, 9, 1) TAP(30, 31, 11, 8) TAP(28, 29, 11, 7) AND_TAP(24, 25, 10, 5) AND_TAP(26, 27, 10, 4) AND_TAP(28, 29, 14, 8) \
  ADD(30, 31, FIRST) ADD(26, 27, SECOND) TAP(30, 31, 12, 2) ADD(24, 25, FIRST) AND_TAP(30, 31, 13, 5) MULTIPLIERS ADD(28, 29, SECOND)            \
  EACH_OF(MULTIPLY, FIRST, 24, 25, 26, 27) ADD(30, 31, SECOND) SHIFTS TYPE##_ZERO_POINT

// Sums of pixels: of both columns, then of the right one alone.
#define S1_SUMS SUM(24, 25, 9, 10) SUM(26, 27, 12, 13) AND_PIXEL(24, 25, 11) AND_PIXEL(26, 27, 14)
#define S1_ASYMMETRIC_BEGIN S1_SUMS AND_SUM(24, 25, 26, 27) STORE_SUMS(24, 25, 26, 27)
#define S1_ASYMMETRIC                                                                                                              \
  FILTER_ZERO_POINT(15) LOAD_SUMS(28, 29, 30, 31) S1_SUMS AND_SUM(28, 29, 24, 25) AND_SUM(24, 25, 26, 27) REPAY(28, 29, 15, FIRST) \
  AND_SUM(30, 31, 24, 25) STORE_SUMS(24, 25, 26, 27) REPAY(30, 31, 15, SECOND)
#define S1_ASYMMETRIC_LAST \
  FILTER_ZERO_POINT(15) LOAD_SUMS(28, 29, 30, 31) SUM(24, 25, 9, 10) AND_PIXEL(24, 25, 11) AND_SUM(24, 25, 28, 29) REPAY(24, 25, 15, FIRST)
#define S1_SYMMETRIC_BEGIN
#define S1_SYMMETRIC
#define S1_SYMMETRIC_LAST

#define S1(TYPE, CLAMP, FILTER, ROUND)                                                                                                                \
  "mov x6, #0\n"                                                                                                                                      \
  "mov x7, #1\n"                                                                                                                                      \
  LOOKUP_LEFT LOOKUP_RIGHT LOAD_LEFT(9, 10, 11) LOAD_RIGHT(12, 13, 14) ADVANCE LOOKUP_LEFT LOOKUP_RIGHT ADVANCE TYPE##_FLIP_BY(15)                    \
  TYPE##_FLIP(15, 9, 10, 11) TYPE##_FLIP(15, 12, 13, 14) S1_##FILTER##_BEGIN S1_BEGIN_1 S1_BEGIN_2 S1_BEGIN_3 LOAD(12, 3) LOAD(13, 4) BIAS(16, 0)     \
  BIAS(17, 1) BIAS(18, 2) BIAS(19, 3) S1_BEGIN_4(TYPE)                                                                                                \
  "subs %[n], %[n], #2\n"                                                                                                                             \
  "b.lo 2f\n"                                                                                                                                         \
  "1:\n"                                                                                                                                              \
  S1_##FILTER S1_END(TYPE) LOOKUP_LEFT ROUND##_LOWER(FIRST) EACH_OF(MULTIPLY, SECOND, 24, 25, 26, 27) EACH_OF(TYPE##_SHIFT, FIRST, 28, 29, 30, 31)    \
  ROUND##_LOWER(SECOND) LOOKUP_RIGHT TYPE##_NARROW_LOW(16) TYPE##_NARROW_LOW(18) EACH_OF(TYPE##_SHIFT, SECOND, 28, 29, 30, 31)                        \
  TYPE##_NARROW_HIGH(16, 17) TYPE##_NARROW_HIGH(18, 19) TYPE##_NARROW_LOW(20) TYPE##_NARROW_LOW(22) S1_BEGIN_1 TYPE##_ADD_ZERO_POINT(16)              \
  TYPE##_ADD_ZERO_POINT(18) TYPE##_NARROW_HIGH(20, 21) TYPE##_NARROW_HIGH(22, 23) S1_BEGIN_2 CLAMP##_BOUNDS(21, 19) TYPE##_LOW(17, 16)                \
  TYPE##_ADD_ZERO_POINT(20) TYPE##_ADD_ZERO_POINT(22) S1_BEGIN_3 TYPE##_HIGH(17, 18) TYPE##_LOW(23, 20) LOAD(12, 3) LOAD(13, 4) BIAS(16, 0)           \
  BIAS(18, 2) ADVANCE CLAMP##_ABOVE(TYPE, 17, 21) TYPE##_HIGH(23, 22)                                                                                 \
  "subs %[n], %[n], #2\n"                                                                                                                             \
  CLAMP##_BELOW(TYPE, 17, 19) CLAMP##_ABOVE(TYPE, 23, 21) STORE(17) CLAMP##_BELOW(TYPE, 23, 19) BIAS(17, 1) BIAS(19, 3) STORE_SECOND(23)              \
  S1_BEGIN_4(TYPE)                                                                                                                                    \
  "b.hs 1b\n"                                                                                                                                         \
  "2: tbz %[n], #0, 3f\n"                                                                                                                             \
  S1_##FILTER##_LAST TAP(24, 25, 9, 2) TAP(26, 27, 11, 8) AND_TAP(24, 25, 10, 5) ADD(26, 27, FIRST) ADD(24, 25, FIRST) LAST_STAGE(TYPE, CLAMP, ROUND) \
  "3:\n"

// ---- stride 2: three columns of pixels, v9-v11, v12-v14 and v24-v26; the last of one output column is the first of the next. The loop's order is what a
// search by the estimates of llvm-mca for Cortex-A72, and less so A53, came to.
#define S2_BEGIN_1 TAP(27, 28, 9, 0) TAP(29, 30, 11, 6)
#define S2_BEGIN_2 AND_TAP(27, 28, 10, 3)
#define S2_BEGIN_3 TAP(31, 15, 12, 1) AND_TAP(29, 30, 14, 7)
#define S2_BEGIN_4 AND_TAP(31, 15, 13, 4)
#define S2_END_FIRST(FILTER)                                                                                         \
  ADD_TO(27, 28, FIRST, S2_##FILTER##_BIAS) TAP(27, 28, 24, 2) ADD(29, 30, FIRST) TAP(29, 30, 26, 8) AND_TAP(27, 28, 25, 5) \
  ADD(31, 15, FIRST)

#define S2_SYMMETRIC_BIAS SECOND
#define S2_SYMMETRIC_FIRST
#define S2_SYMMETRIC_SECOND
// The first column's biases, minus its term for the filter zero point.
#define S2_ASYMMETRIC_BIAS FIRST
#define S2_ASYMMETRIC_FIRST                                                                                                      \
  SUM(16, 17, 9, 10) SUM(18, 19, 12, 13) AND_PIXEL(16, 17, 11) AND_PIXEL(18, 19, 14) AND_PIXEL(16, 17, 24) AND_PIXEL(18, 19, 25) \
  AND_PIXEL(16, 17, 26) FILTER_ZERO_POINT(9)                                                                                     \
  "add v10.8h, v16.8h, v18.8h\n" "add v11.8h, v17.8h, v19.8h\n"                                                                  \
  BIAS(16, 0) BIAS(17, 1) BIAS(18, 2) BIAS(19, 3) REPAY(10, 11, 9, FIRST)
#define S2_ASYMMETRIC_SECOND                                                                                                     \
  SUM(31, 15, 24, 25) SUM(29, 30, 12, 13) AND_PIXEL(31, 15, 26) AND_PIXEL(29, 30, 14) AND_PIXEL(31, 15, 9) AND_PIXEL(29, 30, 10) \
  AND_PIXEL(31, 15, 11) AND_SUM(31, 15, 29, 30) FILTER_ZERO_POINT(29) REPAY(31, 15, 29, SECOND)

#define S2(TYPE, CLAMP, FILTER, ROUND)                                                                                                                 \
  "mov x6, #0\n"                                                                                                                                       \
  LOOKUP_LEFT LOAD_LEFT(9, 10, 11)                                                                                                                     \
  "mov x6, #1\n"                                                                                                                                       \
  "mov x7, #2\n"                                                                                                                                       \
  LOOKUP_LEFT LOOKUP_RIGHT LOAD_LEFT(12, 13, 14) LOAD_RIGHT(24, 25, 26) ADVANCE LOOKUP_LEFT LOOKUP_RIGHT ADVANCE TYPE##_FLIP_BY(15)                    \
  TYPE##_FLIP(15, 9, 10, 11) TYPE##_FLIP(15, 12, 13, 14) TYPE##_FLIP(15, 24, 25, 26) S2_BEGIN_1 S2_BEGIN_2 S2_BEGIN_3 S2_BEGIN_4 BIAS(20, 0)           \
  BIAS(21, 1) BIAS(22, 2) BIAS(23, 3) S2_##FILTER##_FIRST                                                                                              \
  "subs %[n], %[n], #2\n"                                                                                                                              \
  "b.lo 2f\n"                                                                                                                                          \
  "1:\n"                                                                                                                                               \
  ADD_TO(27, 28, FIRST, S2_##FILTER##_BIAS) LOAD(9, 3) LOAD(11, 5) TAP(27, 28, 24, 2) LOAD(13, 1) ADD(29, 30, FIRST) TAP(29, 30, 26, 8) LOAD(14, 2)    \
  ADD(31, 15, FIRST) LOAD(12, 0) LOOKUP(1, 1, 6) AND_TAP(27, 28, 25, 5) TYPE##_FLIP_BY(15) ADD(29, 30, FIRST) LOOKUP(5, 2, 7) LOAD(10, 4)              \
  TYPE##_FLIP(15, 12, 13, 14) TYPE##_FLIP(15, 9, 10, 11) S2_##FILTER##_SECOND LOOKUP(2, 2, 6) TAP(31, 15, 24, 0) LOOKUP(0, 0, 6) ADD(27, 28, FIRST)    \
  TAP(29, 30, 26, 6) AND_TAP(31, 15, 25, 3) MULTIPLIER(26, 2) TAP(27, 28, 12, 1) AND_TAP(29, 30, 14, 7) LOOKUP(3, 0, 7) LOOKUP(4, 1, 7)                \
  AND_TAP(27, 28, 13, 4) MULTIPLIER(24, 0) ADVANCE MULTIPLY(18, 26) ADD(31, 15, SECOND) ADD(29, 30, SECOND) TAP(29, 30, 11, 8) MULTIPLY(16, 24)        \
  TAP(31, 15, 9, 2) MULTIPLIER(25, 1) ADD(27, 28, SECOND) LOAD(12, 0) AND_TAP(31, 15, 10, 5) LOAD(13, 1) ADD(29, 30, SECOND) MULTIPLY(17, 25)          \
  SHIFT(29, 1) SHIFT(28, 0) MULTIPLIER(27, 3) ADD(31, 15, SECOND) MULTIPLY(19, 27) ROUND##_LOWER(FIRST) MULTIPLY(20, 24) TYPE##_SHIFT(16, 28)          \
  SHIFT(31, 3) MULTIPLY(21, 25) LOOKUP(0, 0, 6) SHIFT(30, 2) MULTIPLY(23, 27) TYPE##_ZERO_POINT LOAD(14, 2) MULTIPLY(22, 26) TYPE##_FLIP_BY(27)        \
  TYPE##_SHIFT(18, 30) ROUND##_LOWER(SECOND) TYPE##_SHIFT(20, 28) LOAD(24, 3) TYPE##_NARROW_LOW(16) TYPE##_SHIFT(17, 29) TYPE##_SHIFT(22, 30)          \
  LOAD(25, 4) LOAD(26, 5) TYPE##_SHIFT(21, 29) TYPE##_NARROW_LOW(18) TYPE##_NARROW_HIGH(16, 17) TYPE##_SHIFT(19, 31) TYPE##_NARROW_LOW(20)             \
  TYPE##_FLIP(27, 12, 13, 14) LOOKUP(3, 0, 7) TYPE##_NARROW_LOW(22) TYPE##_ADD_ZERO_POINT(16) TYPE##_SHIFT(23, 31) TYPE##_NARROW_HIGH(18, 19)          \
  TYPE##_FLIP(27, 24, 25, 26) TAP(29, 30, 11, 6) TYPE##_NARROW_HIGH(22, 23) TAP(27, 28, 9, 0) TYPE##_NARROW_HIGH(20, 21) AND_TAP(29, 30, 14, 7)        \
  TYPE##_LOW(17, 16) TYPE##_ADD_ZERO_POINT(22) LOOKUP(2, 2, 6) TYPE##_ADD_ZERO_POINT(20) TYPE##_ADD_ZERO_POINT(18) LOOKUP(4, 1, 7)                     \
  AND_TAP(27, 28, 10, 3) LOOKUP(5, 2, 7) TYPE##_LOW(19, 20) CLAMP##_BOUNDS(21, 23) LOOKUP(1, 1, 6) BIAS(20, 0) TAP(31, 15, 12, 1)                      \
  TYPE##_HIGH(19, 22) TYPE##_HIGH(17, 18) CLAMP##_ABOVE(TYPE, 19, 21) CLAMP##_ABOVE(TYPE, 17, 21) ADVANCE CLAMP##_BELOW(TYPE, 17, 23) BIAS(21, 1)      \
  CLAMP##_BELOW(TYPE, 19, 23) BIAS(22, 2)                                                                                                              \
  "subs %[n], %[n], #2\n"                                                                                                                              \
  STORE(17) AND_TAP(31, 15, 13, 4) STORE_SECOND(19) BIAS(23, 3) S2_##FILTER##_FIRST                                                                    \
  "b.hs 1b\n"                                                                                                                                          \
  "2: tbz %[n], #0, 3f\n"                                                                                                                              \
  S2_END_FIRST(FILTER) ADD(29, 30, FIRST) ADD(27, 28, FIRST) LAST_STAGE(TYPE, CLAMP, ROUND)                                                    \
  "3:\n"

// ---- kernels
#define LOOP(STRIDE, TYPE, CLAMP, FILTER, ROUND)                                                                              \
  static void LOOP_NAME(STRIDE, TYPE, CLAMP, FILTER, ROUND)(struct block *block) {                                            \
    const struct tvmq_depthwise_args *args = block->args;                                                                     \
    for (size_t b = 0; begin(block, b); b++) {                                                                                \
      const void *const *row0 = args->pixels;                                                                                 \
      uint8_t *first = block->out;                                                                                            \
      for (size_t y = 0; y < args->n_rows; y++) {                                                                             \
        const void *const *row1 = row0 + args->pixels_stride, *const *row2 = row1 + args->pixels_stride;                      \
        size_t n_cols = args->n_cols;                                                                                         \
        uint8_t *out = first;                                                                                                 \
        __asm__ volatile(WEIGHTS S##STRIDE(TYPE, CLAMP, FILTER, ROUND)                                                        \
                         : [n] "+r"(n_cols), [out] "+r"(out)                                                                  \
                         : [row0] "r"(row0), [row1] "r"(row1), [row2] "r"(row2), [last] "r"((args->n_cols - 1) * STRIDE + 2), \
                           [channel] "r"(block->channel), [panel] "r"(block->panel), [stage] "r"(&block->stage),              \
                           [out_column] "r"(args->out_col_stride), [filter_zero_point] "r"(args->filter_zero_point)           \
                         : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", ALL_VECTORS, "cc", "memory");                      \
        row0 += args->stride_h * args->pixels_stride;                                                                         \
        first += args->out_row_stride;                                                                                        \
      }                                                                                                                       \
    }                                                                                                                         \
  }
#define ALL_LOOPS(STRIDE)                                                                                              \
  LOOPS(STRIDE, INT8, WHOLE, SYMMETRIC) LOOPS(STRIDE, INT8, CLAMPED, SYMMETRIC) LOOPS(STRIDE, UINT8, WHOLE, SYMMETRIC) \
  LOOPS(STRIDE, UINT8, CLAMPED, SYMMETRIC) LOOPS(STRIDE, UINT8, WHOLE, ASYMMETRIC) LOOPS(STRIDE, UINT8, CLAMPED, ASYMMETRIC)
ALL_LOOPS(1)
ALL_LOOPS(2)

#define TABLE(STRIDE)                                                                      \
  {{{ROUNDS(STRIDE, INT8, WHOLE, SYMMETRIC)}, {ROUNDS(STRIDE, INT8, CLAMPED, SYMMETRIC)}}, \
   {{ROUNDS(STRIDE, UINT8, WHOLE, SYMMETRIC), ROUNDS(STRIDE, UINT8, WHOLE, ASYMMETRIC)},   \
    {ROUNDS(STRIDE, UINT8, CLAMPED, SYMMETRIC), ROUNDS(STRIDE, UINT8, CLAMPED, ASYMMETRIC)}}}
static loop_table s1 = TABLE(1), s2 = TABLE(2);
// clang-format on

bool tvmq_depthwise_3x3_neon(const struct tvmq_depthwise_args *args) { return run_loops(args, args->stride_w == 1 ? &s1 : &s2); }
