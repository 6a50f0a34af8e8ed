// Hot loops of depthwise convolution without dot products for filters of one column, for the usual output stages and
// filters without a zero point. depthwise_pairs_neon.c computes other cases.
//
// Tile: 16 channels of four output rows. Neighbouring windows share all pixels but one: for two taps, five pixels serve
// four rows. If the number of taps is odd, a single tap comes first.
//
// Reads: 16 bytes of each pixel of the window. Writes: 16 bytes of each output pixel. Hazards: those of depthwise_3x3_neon.c; stride 1 down, n_rows >= 4.
#define TAPS "0"  // the loop over taps advances %[panel] past the weights
#include "kernels/arm64/depthwise_loops_neon.h"

// v0-v4   pixels, v5 v6 weights               v16-v31  sums of four rows
// v7-v14  products of two taps                x0-x4    pixels
// v15 flips
//
// clang-format off
#define THIRD 24, 25, 26, 27
#define FOURTH 28, 29, 30, 31
#define LOOKUP(pixel) "ldr x" #pixel ", [%[table]]\n" "add %[table], %[table], %[step]\n"
#define LOOKUP_TWO(p0, p1) "ldr x" #p0 ", [%[table]]\n" "ldr x" #p1 ", [%[table], %[step]]\n" "add %[table], %[table], %[step], lsl #1\n"
#define NEXT_WEIGHT "ldr q5, [%[weights]], #16\n"
#define NEXT_WEIGHTS "ldr q5, [%[weights]]\n" "ldr q6, [%[weights], #16]\n" "add %[weights], %[weights], #32\n"
#define PARAMETERS                                                                                                                                         \
  "sub %[panel], %[weights], #64\n"                                                                                                                        \
  MULTIPLIER(0, 0) MULTIPLIER(1, 1) MULTIPLIER(2, 2) MULTIPLIER(3, 3) SHIFT(4, 0) SHIFT(5, 1) SHIFT(6, 2) SHIFT(7, 3)
#define ZERO(v) "movi v" #v ".16b, #0\n"
#define MOVE(to, from) "mov v" #to ".16b, v" #from ".16b\n"
#define COPY(...) EACH_OF(MOVE, __VA_ARGS__)
#define NARROW(TYPE, a0, a1, a2, a3)                                                                                                                       \
  TYPE##_NARROW_LOW(a0) TYPE##_NARROW_LOW(a2) TYPE##_NARROW_HIGH(a0, a1) TYPE##_NARROW_HIGH(a2, a3) TYPE##_ADD_ZERO_POINT(a0) TYPE##_ADD_ZERO_POINT(a2)
#define NARROW_OF(...) NARROW(__VA_ARGS__)
#define BYTES(TYPE, CLAMP, v, a0, a2) TYPE##_LOW(v, a0) TYPE##_HIGH(v, a2) CLAMP##_ABOVE(TYPE, v, 8) CLAMP##_BELOW(TYPE, v, 9)
#define STORE_NEXT(v) "add %[out], %[out], %[out_row]\n" STORE(v)
#define INT8_FLIP_4(...)
#define UINT8_FLIP_4(v0, v1, v2, v3) FLIP(v0, 15) FLIP(v1, 15) FLIP(v2, 15) FLIP(v3, 15)
#define INT8_FLIP_1(...)
#define UINT8_FLIP_1(v) FLIP(v, 15)

// Cores with one pipe for products need work for both pipes at any time: products of the last two rows are added while
// those of the next taps are computed.
#define BEGIN LOOKUP(0) LOOKUP(1) LOOKUP(2) ZERO(11) ZERO(12) ZERO(13) ZERO(14)
#define ODD(TYPE)                                                                                                                                          \
  NEXT_WEIGHT LOAD(0, 0) LOAD(1, 1) LOAD(2, 2) LOOKUP(3) LOAD(3, 3)                                                                                        \
  "mov x0, x1\n" "mov x1, x2\n" "mov x2, x3\n"                                                                                                             \
  TYPE##_FLIP_4(0, 1, 2, 3) TAP(7, 8, 0, 5) TAP(9, 10, 1, 5) COPY(THIRD, FIRST) COPY(FOURTH, FIRST) TAP(11, 12, 2, 5) TAP(13, 14, 3, 5)                    \
  ADD_TO(9, 10, SECOND, FIRST) ADD(7, 8, FIRST)
#define EVEN COPY(SECOND, FIRST) COPY(THIRD, FIRST) COPY(FOURTH, FIRST)
#define PAIR(TYPE)                                                                                                                                         \
  LOOKUP_TWO(3, 4) NEXT_WEIGHTS LOAD(0, 0) LOAD(1, 1) LOAD(2, 2) TYPE##_FLIP_1(0) TYPE##_FLIP_1(1) TYPE##_FLIP_1(2) TAP(7, 8, 0, 5) TAP(9, 10, 1, 5)       \
  ADD(11, 12, THIRD) AND_TAP(7, 8, 1, 6) AND_TAP(9, 10, 2, 6) ADD(13, 14, FOURTH) LOAD(3, 3) LOAD(4, 4)                                                    \
  "mov x0, x2\n" "mov x1, x3\n" "mov x2, x4\n"                                                                                                             \
  TYPE##_FLIP_1(3) TYPE##_FLIP_1(4) TAP(11, 12, 2, 5) TAP(13, 14, 3, 5) ADD(7, 8, FIRST) AND_TAP(11, 12, 3, 6) AND_TAP(13, 14, 4, 6)                       \
  ADD(9, 10, SECOND)
#define END(TYPE, CLAMP, ROUND)                                                                                                                            \
  ADD(11, 12, THIRD) ADD(13, 14, FOURTH)                                                                                                                   \
  EACH_OF(MULTIPLY, FIRST, 0, 1, 2, 3) EACH_OF(MULTIPLY, SECOND, 0, 1, 2, 3) EACH_OF(MULTIPLY, THIRD, 0, 1, 2, 3)                                          \
  EACH_OF(MULTIPLY, FOURTH, 0, 1, 2, 3) ROUND##_LOWER(FIRST) ROUND##_LOWER(SECOND) ROUND##_LOWER(THIRD) ROUND##_LOWER(FOURTH)                              \
  EACH_OF(TYPE##_SHIFT, FIRST, 4, 5, 6, 7) EACH_OF(TYPE##_SHIFT, SECOND, 4, 5, 6, 7) EACH_OF(TYPE##_SHIFT, THIRD, 4, 5, 6, 7)                              \
  EACH_OF(TYPE##_SHIFT, FOURTH, 4, 5, 6, 7) NARROW_OF(TYPE, FIRST) NARROW_OF(TYPE, SECOND) NARROW_OF(TYPE, THIRD) NARROW_OF(TYPE, FOURTH)                  \
  BYTES(TYPE, CLAMP, 10, 16, 18) BYTES(TYPE, CLAMP, 11, 20, 22) BYTES(TYPE, CLAMP, 12, 24, 26) BYTES(TYPE, CLAMP, 13, 28, 30) STORE(10)                    \
  STORE_NEXT(11) STORE_NEXT(12) STORE_NEXT(13)

#define TILE(TYPE, CLAMP, ROUND)                                                                                                                           \
  BIAS(16, 0) BIAS(17, 1) BIAS(18, 2) BIAS(19, 3) BEGIN TYPE##_FLIP_BY(15)                                                                                 \
  "tbz %[taps], #0, 1f\n"                                                                                                                                  \
  ODD(TYPE)                                                                                                                                                \
  "b 2f\n"                                                                                                                                                 \
  "1: " EVEN                                                                                                                                               \
  "2: subs %[taps], %[taps], #2\n"                                                                                                                         \
  "b.lo 4f\n"                                                                                                                                              \
  "3:\n"                                                                                                                                                   \
  PAIR(TYPE)                                                                                                                                               \
  "subs %[taps], %[taps], #2\n"                                                                                                                            \
  "b.hs 3b\n"                                                                                                                                              \
  "4:\n"                                                                                                                                                   \
  PARAMETERS TYPE##_ZERO_POINT CLAMP##_BOUNDS(8, 9) END(TYPE, CLAMP, ROUND)

#define LOOP(KERNEL, TYPE, CLAMP, FILTER, ROUND)                                                                                                           \
  static void LOOP_NAME(KERNEL, TYPE, CLAMP, FILTER, ROUND)(struct block *block) {                                                                         \
    const struct tvmq_depthwise_args *args = block->args;                                                                                                  \
    for (size_t b = 0; begin(block, b); b++) {                                                                                                             \
      for (size_t y = 0; y < args->n_rows; y = tvmq_next_tile(y, 4, args->n_rows)) {                                                                       \
        const void *const *row = args->pixels + y * args->pixels_stride;                                                                                   \
        uint8_t *first = block->out + y * args->out_row_stride;                                                                                            \
        for (size_t x = 0; x < args->n_cols; x++, row += args->stride_w, first += args->out_col_stride) {                                                  \
          const void *const *table = row;                                                                                                                  \
          const char *panel = block->panel, *weights = panel + 64;                                                                                         \
          size_t taps = args->filter_h;                                                                                                                    \
          uint8_t *out = first;                                                                                                                            \
          __asm__ volatile(TILE(TYPE, CLAMP, ROUND)                                                                                                        \
                           : [taps] "+r"(taps), [table] "+r"(table), [weights] "+r"(weights), [panel] "+r"(panel), [out] "+r"(out)                         \
                           : [step] "r"(args->pixels_stride * sizeof *table), [channel] "r"(block->channel), [stage] "r"(&block->stage),                   \
                             [out_row] "r"(args->out_row_stride)                                                                                           \
                           : "x0", "x1", "x2", "x3", "x4", ALL_VECTORS, "cc", "memory");                                                                   \
        }                                                                                                                                                  \
      }                                                                                                                                                    \
    }                                                                                                                                                      \
  }
LOOPS(COLUMN, INT8, WHOLE, SYMMETRIC)
LOOPS(COLUMN, INT8, CLAMPED, SYMMETRIC)
LOOPS(COLUMN, UINT8, WHOLE, SYMMETRIC)
LOOPS(COLUMN, UINT8, CLAMPED, SYMMETRIC)

static loop_table loops = {{{ROUNDS(COLUMN, INT8, WHOLE, SYMMETRIC)}, {ROUNDS(COLUMN, INT8, CLAMPED, SYMMETRIC)}},
                           {{ROUNDS(COLUMN, UINT8, WHOLE, SYMMETRIC)}, {ROUNDS(COLUMN, UINT8, CLAMPED, SYMMETRIC)}}};
// clang-format on

bool tvmq_depthwise_column_neon(const struct tvmq_depthwise_args *args) { return run_loops(args, &loops); }
