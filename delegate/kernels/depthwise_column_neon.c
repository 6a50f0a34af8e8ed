// The hot loops of depthwise convolution without dot products for filters of one column, for the usual output stages and filters without a zero point;
// depthwise_pairs_neon.c takes the rest.
//
// Tile: 16 channels of four output rows, whose windows overlap by all but a pixel: of two taps, five pixels serve the four. Or of a single output pixel, whose
// window may have any shape: what counts is that its pixels are looked up at a constant distance. An odd tap comes first. Two products of each row are on the
// way at a time, so that in-order cores find six instructions between a result and its use.
//
// Reads: 16 bytes of each pixel of the window. Writes: 16 bytes of each output pixel. Hazards: those of depthwise_3x3_neon.c; stride 1 down, for four rows.
#define TAPS "0"  // %[panel] is moved on by the taps when they are done
#include "depthwise_loops_neon.h"

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
#define PARAMETERS                                                                                                                       \
  "sub %[panel], %[weights], #64\n"                                                                                                      \
  MULTIPLIER(0, 0) MULTIPLIER(1, 1) MULTIPLIER(2, 2) MULTIPLIER(3, 3)
#define ZERO(v) "movi v" #v ".16b, #0\n"
#define MOVE(to, from) "mov v" #to ".16b, v" #from ".16b\n"
#define COPY(...) EACH_OF(MOVE, __VA_ARGS__)
#define NARROW(TYPE, a0, a1, a2, a3) \
  TYPE##_NARROW_LOW(a0) TYPE##_NARROW_LOW(a2) TYPE##_NARROW_HIGH(a0, a1) TYPE##_NARROW_HIGH(a2, a3) TYPE##_ADD_ZERO_POINT(a0) TYPE##_ADD_ZERO_POINT(a2)
#define NARROW_OF(...) NARROW(__VA_ARGS__)
#define BYTES(TYPE, CLAMP, v, a0, a2) TYPE##_LOW(v, a0) TYPE##_HIGH(v, a2) CLAMP##_ABOVE(TYPE, v, 8) CLAMP##_BELOW(TYPE, v, 9)
#define STORE_NEXT(v) "add %[out], %[out], %[out_row]\n" STORE(v)
#define INT8_FLIP_4(...)
#define UINT8_FLIP_4(v0, v1, v2, v3) FLIP(v0, 15) FLIP(v1, 15) FLIP(v2, 15) FLIP(v3, 15)
#define INT8_FLIP_1(...)
#define UINT8_FLIP_1(v) FLIP(v, 15)

// Cores with one pipe for products want something for both at any time: products of the last two rows are added while those of the next taps are made.
#define FOUR_BEGIN LOOKUP(0) LOOKUP(1) LOOKUP(2) ZERO(11) ZERO(12) ZERO(13) ZERO(14)
#define FOUR_ODD(TYPE)                                                                                                                               \
  NEXT_WEIGHT LOAD(0, 0) LOAD(1, 1) LOAD(2, 2) LOOKUP(3) LOAD(3, 3)                                                                                  \
  "mov x0, x1\n" "mov x1, x2\n" "mov x2, x3\n"                                                                                                       \
  TYPE##_FLIP_4(0, 1, 2, 3) TAP(7, 8, 0, 5) TAP(9, 10, 1, 5) COPY(THIRD, FIRST) COPY(FOURTH, FIRST) TAP(11, 12, 2, 5) TAP(13, 14, 3, 5)              \
  ADD_TO(9, 10, SECOND, FIRST) ADD(7, 8, FIRST)
#define FOUR_EVEN COPY(SECOND, FIRST) COPY(THIRD, FIRST) COPY(FOURTH, FIRST)
#define FOUR_PAIR(TYPE)                                                                                                                              \
  LOOKUP_TWO(3, 4) NEXT_WEIGHTS LOAD(0, 0) LOAD(1, 1) LOAD(2, 2) TYPE##_FLIP_1(0) TYPE##_FLIP_1(1) TYPE##_FLIP_1(2) TAP(7, 8, 0, 5) TAP(9, 10, 1, 5) \
  ADD(11, 12, THIRD) AND_TAP(7, 8, 1, 6) AND_TAP(9, 10, 2, 6) ADD(13, 14, FOURTH) LOAD(3, 3) LOAD(4, 4)                                              \
  "mov x0, x2\n" "mov x1, x3\n" "mov x2, x4\n"                                                                                                       \
  TYPE##_FLIP_1(3) TYPE##_FLIP_1(4) TAP(11, 12, 2, 5) TAP(13, 14, 3, 5) ADD(7, 8, FIRST) AND_TAP(11, 12, 3, 6) AND_TAP(13, 14, 4, 6)                 \
  ADD(9, 10, SECOND)
#define FOUR_END(TYPE, CLAMP, ROUND)                                                                                                                 \
  ADD(11, 12, THIRD) ADD(13, 14, FOURTH)                                                                                                             \
  EACH_OF(MULTIPLY, FIRST, 0, 1, 2, 3) EACH_OF(MULTIPLY, SECOND, 0, 1, 2, 3) EACH_OF(MULTIPLY, THIRD, 0, 1, 2, 3)                                    \
  EACH_OF(MULTIPLY, FOURTH, 0, 1, 2, 3) ROUND##_LOWER(FIRST) ROUND##_LOWER(SECOND) ROUND##_LOWER(THIRD) ROUND##_LOWER(FOURTH)                        \
  EACH_OF(TYPE##_SHIFT, FIRST, 4, 5, 6, 7) EACH_OF(TYPE##_SHIFT, SECOND, 4, 5, 6, 7) EACH_OF(TYPE##_SHIFT, THIRD, 4, 5, 6, 7)                        \
  EACH_OF(TYPE##_SHIFT, FOURTH, 4, 5, 6, 7) NARROW_OF(TYPE, FIRST) NARROW_OF(TYPE, SECOND) NARROW_OF(TYPE, THIRD) NARROW_OF(TYPE, FOURTH)                        \
  BYTES(TYPE, CLAMP, 10, 16, 18) BYTES(TYPE, CLAMP, 11, 20, 22) BYTES(TYPE, CLAMP, 12, 24, 26) BYTES(TYPE, CLAMP, 13, 28, 30) STORE(10)              \
  STORE_NEXT(11) STORE_NEXT(12) STORE_NEXT(13)

#define FOUR_SHIFTS SHIFT(4, 0) SHIFT(5, 1) SHIFT(6, 2) SHIFT(7, 3)

#define ONE_BEGIN
#define ONE_ODD(TYPE) NEXT_WEIGHT LOOKUP(0) LOAD(0, 0) TYPE##_FLIP_1(0) TAP(7, 8, 0, 5) ADD(7, 8, FIRST)
#define ONE_EVEN
#define ONE_PAIR(TYPE) \
  LOOKUP_TWO(0, 1) NEXT_WEIGHTS LOAD(0, 0) LOAD(1, 1) TYPE##_FLIP_1(0) TYPE##_FLIP_1(1) TAP(7, 8, 0, 5) AND_TAP(7, 8, 1, 6) ADD(7, 8, FIRST)
// As the panel has them; to the left, they are 16 more.
#define ONE_SHIFT(v, i) "ldr q" #v ", [%[panel], #16*(4+4+" #i ")]\n"
#define MORE(v, by) "add v" #v ".4s, v" #v ".4s, v" #by ".4s\n"
#define ONE_SHIFTS "movi v14.4s, #16\n" ONE_SHIFT(4, 0) ONE_SHIFT(5, 1) ONE_SHIFT(6, 2) ONE_SHIFT(7, 3) MORE(4, 14) MORE(5, 14) MORE(6, 14) MORE(7, 14)
#define ONE_END(TYPE, CLAMP, ROUND) \
  EACH_OF(MULTIPLY, FIRST, 0, 1, 2, 3) ROUND##_LOWER(FIRST) EACH_OF(TYPE##_SHIFT, FIRST, 4, 5, 6, 7) NARROW_OF(TYPE, FIRST) BYTES(TYPE, CLAMP, 10, 16, 18) STORE(10)

#define TILE(ROWS, TYPE, CLAMP, ROUND)                                                                                       \
  BIAS(16, 0) BIAS(17, 1) BIAS(18, 2) BIAS(19, 3) ROWS##_BEGIN TYPE##_FLIP_BY(15)                                                                               \
  "tbz %[taps], #0, 1f\n"                                                                                                    \
  ROWS##_ODD(TYPE)                                                                                                           \
  "b 2f\n"                                                                                                                   \
  "1: " ROWS##_EVEN                                                                                                          \
  "2: subs %[taps], %[taps], #2\n"                                                                                           \
  "b.lo 4f\n"                                                                                                                \
  "3:\n"                                                                                                                     \
  ROWS##_PAIR(TYPE)                                                                                                          \
  "subs %[taps], %[taps], #2\n"                                                                                              \
  "b.hs 3b\n"                                                                                                                \
  "4:\n"                                                                                                                     \
  PARAMETERS ROWS##_SHIFTS TYPE##_ZERO_POINT CLAMP##_BOUNDS(8, 9) ROWS##_END(TYPE, CLAMP, ROUND)

enum { ROWS_FOUR = 4, ROWS_ONE = 1 };

#define LOOP(ROWS, TYPE, CLAMP, FILTER, ROUND)                                                                                       \
  static void LOOP_NAME(ROWS, TYPE, CLAMP, FILTER, ROUND)(struct block *block) {                                                     \
    const struct tvmq_depthwise_args *args = block->args;                                                                            \
    if (ROWS_##ROWS > 1) set_shifts(block);                                                                                          \
    const size_t n_taps = args->filter_h * args->filter_w, step = (args->filter_w == 1 ? args->pixels_stride : 1) * sizeof(void *);  \
    for (size_t y = 0; y < args->n_rows; y = tvmq_next_tile(y, ROWS_##ROWS, args->n_rows)) {                                         \
      const void *const *row = args->pixels + y * args->stride_h * args->pixels_stride;                                              \
      uint8_t *first = block->out + y * args->out_row_stride;                                                                        \
      for (size_t x = 0; x < args->n_cols; x++, row += args->stride_w, first += args->out_col_stride) {                              \
        const void *const *table = row;                                                                                              \
        const char *panel = block->panel, *weights = panel + 64;                                                                     \
        size_t taps = n_taps;                                                                                                        \
        uint8_t *out = first;                                                                                                        \
        __asm__ volatile(TILE(ROWS, TYPE, CLAMP, ROUND)                                                                              \
                         : [taps] "+r"(taps), [table] "+r"(table), [weights] "+r"(weights), [panel] "+r"(panel), [out] "+r"(out)     \
                         : [step] "r"(step), [channel] "r"(block->channel),         \
                           [stage] "r"(&block->stage), [out_row] "r"(args->out_row_stride)                                           \
                         : "x0", "x1", "x2", "x3", "x4", ALL_VECTORS, "cc", "memory");                                               \
      }                                                                                                                              \
    }                                                                                                                                \
  }
#define ALL_LOOPS(ROWS)                                                                                            \
  LOOPS(ROWS, INT8, WHOLE, SYMMETRIC) LOOPS(ROWS, INT8, CLAMPED, SYMMETRIC) LOOPS(ROWS, UINT8, WHOLE, SYMMETRIC)   \
  LOOPS(ROWS, UINT8, CLAMPED, SYMMETRIC)
ALL_LOOPS(FOUR)
ALL_LOOPS(ONE)

#define TABLE(ROWS)                                                                    \
  {{{ROUNDS(ROWS, INT8, WHOLE, SYMMETRIC)}, {ROUNDS(ROWS, INT8, CLAMPED, SYMMETRIC)}}, \
   {{ROUNDS(ROWS, UINT8, WHOLE, SYMMETRIC)}, {ROUNDS(ROWS, UINT8, CLAMPED, SYMMETRIC)}}}
static loop_table four = TABLE(FOUR), one = TABLE(ONE);
// clang-format on

bool tvmq_depthwise_column_neon(const struct tvmq_depthwise_args *args) { return run_loops(args, &four); }

bool tvmq_depthwise_pixel_neon(const struct tvmq_depthwise_args *args) {
  const bool evenly = args->filter_w == 1 || args->pixels_stride == args->filter_w;
  return evenly && args->n_rows == 1 && args->n_cols == 1 && run_loops(args, &one);
}
