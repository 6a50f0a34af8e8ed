// The hot loops of 3x3 depthwise convolution without dot products, for the usual output stages; depthwise_neon.c takes the rest.
//
// Tile: one output row of 16 channels, two columns at a time, whose 8 accumulators are requantized together: in-order cores need that much independent work.
// Two taps are multiplied and added in int16, then added to int32. The loops are inline assembly, because they fill the registers and not every compiler keeps
// them there; and they run ahead of themselves: the pixels that come next are looked up while accumulators are requantized. Past the end they look up the last
// pixel again.
//
// Reads: 16 bytes of each pixel of the window, each once. Writes: 16 bytes of each output pixel. Hazards: two products fit int16 only if no weight is -128; the
// rest is requant_neon.h's path of right shifts, whose results must fit int16 if they are int8.
#include "depthwise_neon.h"
#include "requant_neon.h"

// v0-v8     weights, row by row              v16-v19  sums of the first column
// v9-v14    pixels                           v20-v23  sums of the second
// v24-v31   products of two taps, then multipliers and shifts; v15 zero points
// x0-x5 pixels, x19 x20 offsets in the table of the two columns that come next
//
// clang-format off
#define POINTER(pixel, row, offset) "ldr x" #pixel ", [%[row" #row "], x" #offset "]\n"
#define LOAD(v, pixel) "ldr q" #v ", [x" #pixel ", %[channel]]\n"
#define BIAS(acc, v) "ldr q" #acc ", [%[panel], #16*" #v "]\n"
#define BIASES(a0, a1, a2, a3) BIAS(a0, 0) BIAS(a1, 1) BIAS(a2, 2) BIAS(a3, 3)
#define FLIP(v, by) "eor v" #v ".16b, v" #v ".16b, v" #by ".16b\n"
#define FLIP_UINT8(v0, v1, v2, scratch) "movi v" #scratch ".16b, #0x80\n" FLIP(v0, scratch) FLIP(v1, scratch) FLIP(v2, scratch)
#define FLIP_INT8(v0, v1, v2, scratch)

// A tap, and the one that is added to it: 16 products in two registers.
#define TAP(low, high, x, w)                     \
  "smull v" #low ".8h, v" #x ".8b, v" #w ".8b\n" \
  "smull2 v" #high ".8h, v" #x ".16b, v" #w ".16b\n"
#define AND_TAP(low, high, x, w)                 \
  "smlal v" #low ".8h, v" #x ".8b, v" #w ".8b\n" \
  "smlal2 v" #high ".8h, v" #x ".16b, v" #w ".16b\n"
#define ADD(low, high, a0, a1, a2, a3)              \
  "saddw v" #a0 ".4s, v" #a0 ".4s, v" #low ".4h\n"  \
  "saddw2 v" #a1 ".4s, v" #a1 ".4s, v" #low ".8h\n" \
  "saddw v" #a2 ".4s, v" #a2 ".4s, v" #high ".4h\n" \
  "saddw2 v" #a3 ".4s, v" #a3 ".4s, v" #high ".8h\n"
#define ADD_FIRST(low, high) ADD(low, high, 16, 17, 18, 19)
#define ADD_SECOND(low, high) ADD(low, high, 20, 21, 22, 23)

// What a filter zero point owes: sums of a column's pixels, times it.
#define COLUMN_SUM(low, high, x0, x1, x2)          \
  "saddl v" #low ".8h, v" #x0 ".8b, v" #x1 ".8b\n" \
  "saddl2 v" #high ".8h, v" #x0 ".16b, v" #x1 ".16b\n" ADD_PIXEL(low, high, x2)
#define ADD_PIXEL(low, high, x)                    \
  "saddw v" #low ".8h, v" #low ".8h, v" #x ".8b\n" \
  "saddw2 v" #high ".8h, v" #high ".8h, v" #x ".16b\n"
#define ADD_SUM(low, high, l, h)                 \
  "add v" #low ".8h, v" #low ".8h, v" #l ".8h\n" \
  "add v" #high ".8h, v" #high ".8h, v" #h ".8h\n"
#define REPAY(low, high, a0, a1, a2, a3)         \
  "smlsl v" #a0 ".4s, v" #low ".4h, v15.h[0]\n"  \
  "smlsl2 v" #a1 ".4s, v" #low ".8h, v15.h[0]\n" \
  "smlsl v" #a2 ".4s, v" #high ".4h, v15.h[0]\n" \
  "smlsl2 v" #a3 ".4s, v" #high ".8h, v15.h[0]\n"
#define FILTER_ZERO_POINT "dup v15.8h, %w[filter_zero_point]\n"
#define REPAY_FIRST(low, high) REPAY(low, high, 16, 17, 18, 19)
#define REPAY_SECOND(low, high) REPAY(low, high, 20, 21, 22, 23)

#define MULTIPLY(acc, v) "sqrdmulh v" #acc ".4s, v" #acc ".4s, v" #v ".4s\n"
#define UP_LOWER(acc)
#define AWAY_LOWER(acc) "ssra v" #acc ".4s, v" #acc ".4s, #31\n"
#define SHIFT(acc, v) "srshl v" #acc ".4s, v" #acc ".4s, v" #v ".4s\n"
// Two vectors of rescaled values, narrowed to int16, and the zero point: what fits, or what may have to saturate.
#define FITTING(d, a, b) "uzp1 v" #d ".8h, v" #a ".8h, v" #b ".8h\n"
#define SATURATING(d, a, b) "sqxtn v" #d ".4h, v" #a ".4s\n" "sqxtn2 v" #d ".8h, v" #b ".4s\n"
#define FITTING_ZERO_POINT(d) "add v" #d ".8h, v" #d ".8h, v15.8h\n"
#define SATURATING_ZERO_POINT(d) "sqadd v" #d ".8h, v" #d ".8h, v15.8h\n"
#define TO_INT8(d, high) "sqxtn v" #d ".8b, v" #d ".8h\n" "sqxtn2 v" #d ".16b, v" #high ".8h\n"
#define TO_UINT8(d, high) "sqxtun v" #d ".8b, v" #d ".8h\n" "sqxtun2 v" #d ".16b, v" #high ".8h\n"
// The same between bounds in v24 and v25.
#define TO_INT8_CLAMPED(d, high) TO_INT8(d, high) "smax v" #d ".16b, v" #d ".16b, v24.16b\n" "smin v" #d ".16b, v" #d ".16b, v25.16b\n"
#define TO_UINT8_CLAMPED(d, high) TO_UINT8(d, high) "umax v" #d ".16b, v" #d ".16b, v24.16b\n" "umin v" #d ".16b, v" #d ".16b, v25.16b\n"
#define TO_INT8_BOUNDS
#define TO_UINT8_BOUNDS
#define TO_INT8_CLAMPED_BOUNDS "ldr q24, [%[output], #16]\n" "ldr q25, [%[output], #32]\n"
#define TO_UINT8_CLAMPED_BOUNDS TO_INT8_CLAMPED_BOUNDS
#define PARAMS(v, at) "ldr q" #v ", [%[panel], #16*(13+" #at ")]\n"

// 16 biases, 9 * 16 weights, 16 multipliers, 16 shifts. LOOKUP(0) to (5) find the pixels that come next.
#define STAGE(ROUND, NARROW, TO_BYTE, LOOKUP)                                                                                                     \
  PARAMS(24, 0) PARAMS(25, 1) PARAMS(26, 2) PARAMS(27, 3)                                                                                         \
  MULTIPLY(16, 24) LOOKUP(0) MULTIPLY(17, 25) LOOKUP(1) MULTIPLY(18, 26) LOOKUP(2) MULTIPLY(19, 27) LOOKUP(3)                                     \
  MULTIPLY(20, 24) LOOKUP(4) MULTIPLY(21, 25) LOOKUP(5) MULTIPLY(22, 26) MULTIPLY(23, 27)                                                         \
  PARAMS(28, 4) PARAMS(29, 5) PARAMS(30, 6) PARAMS(31, 7)                                                                                         \
  ROUND##_LOWER(16) ROUND##_LOWER(17) ROUND##_LOWER(18) ROUND##_LOWER(19) ROUND##_LOWER(20) ROUND##_LOWER(21) ROUND##_LOWER(22) ROUND##_LOWER(23) \
  SHIFT(16, 28) SHIFT(17, 29) SHIFT(18, 30) SHIFT(19, 31) SHIFT(20, 28) SHIFT(21, 29) SHIFT(22, 30) SHIFT(23, 31)                                 \
  "ldr q15, [%[output]]\n"                                                                                                                        \
  NARROW(16, 16, 17) NARROW(18, 18, 19) NARROW(20, 20, 21) NARROW(22, 22, 23)                                                                     \
  NARROW##_ZERO_POINT(16) NARROW##_ZERO_POINT(18) NARROW##_ZERO_POINT(20) NARROW##_ZERO_POINT(22)                                                 \
  TO_BYTE##_BOUNDS TO_BYTE(16, 18) TO_BYTE(20, 22)                                                                                                \
  "str q16, [%[out]]\n"                                                                                                                           \
  "str q20, [%[out], %[out_column]]\n"                                                                                                            \
  "add %[out], %[out], %[out_column], lsl #1\n"

// The same for a last, odd column.
#define LAST_STAGE(ROUND, NARROW, TO_BYTE)                                                                                                        \
  PARAMS(24, 0) PARAMS(25, 1) PARAMS(26, 2) PARAMS(27, 3) PARAMS(28, 4) PARAMS(29, 5) PARAMS(30, 6) PARAMS(31, 7)                                 \
  MULTIPLY(16, 24) MULTIPLY(17, 25) MULTIPLY(18, 26) MULTIPLY(19, 27) ROUND##_LOWER(16) ROUND##_LOWER(17) ROUND##_LOWER(18) ROUND##_LOWER(19)     \
  SHIFT(16, 28) SHIFT(17, 29) SHIFT(18, 30) SHIFT(19, 31)                                                                                         \
  "ldr q15, [%[output]]\n" NARROW(16, 16, 17) NARROW(18, 18, 19) NARROW##_ZERO_POINT(16) NARROW##_ZERO_POINT(18) TO_BYTE##_BOUNDS TO_BYTE(16, 18) \
  "str q16, [%[out]]\n"

// Two columns on, but not past the last.
#define ADVANCE                  \
  "add x19, x19, #16\n"          \
  "add x20, x19, #8\n"           \
  "cmp x19, %[last]\n"           \
  "csel x19, x19, %[last], lo\n" \
  "cmp x20, %[last]\n"           \
  "csel x20, x20, %[last], lo\n"
#define LOOKUP(i) LOOKUP_##i
#define LOOKUP_0 POINTER(0, 0, 19)
#define LOOKUP_1 POINTER(1, 1, 19)
#define LOOKUP_2 POINTER(2, 2, 19)
#define LOOKUP_3 POINTER(3, 0, 20)
#define LOOKUP_4 POINTER(4, 1, 20)
#define LOOKUP_5 POINTER(5, 2, 20)
#define LOOKUP_ALL LOOKUP_0 LOOKUP_1 LOOKUP_2 LOOKUP_3 LOOKUP_4 LOOKUP_5

// ---- stride 1: of two columns of pixels, left v9-v11 and right v12-v14, the sums that end and those that begin
#define S1_LOAD_LEFT LOAD(9, 0) LOAD(10, 1) LOAD(11, 2)
#define S1_LOAD_RIGHT LOAD(12, 3) LOAD(13, 4) LOAD(14, 5)
#define S1_FINISH                                                                                                     \
  TAP(24, 25, 9, 2) TAP(26, 27, 9, 1) TAP(28, 29, 11, 7) TAP(30, 31, 11, 8)                                           \
  AND_TAP(24, 25, 10, 5) AND_TAP(26, 27, 10, 4) AND_TAP(28, 29, 14, 8)                                                \
  ADD_FIRST(24, 25) TAP(24, 25, 12, 2) ADD_SECOND(26, 27) AND_TAP(24, 25, 13, 5) ADD_FIRST(30, 31) ADD_SECOND(28, 29) \
  ADD_SECOND(24, 25)
#define S1_START(REPAID)                                                                                             \
  BIASES(16, 17, 18, 19) TAP(24, 25, 9, 0) TAP(26, 27, 11, 6) TAP(28, 29, 12, 1) TAP(30, 31, 12, 0)                  \
  AND_TAP(24, 25, 10, 3) BIASES(20, 21, 22, 23) AND_TAP(26, 27, 14, 7) AND_TAP(28, 29, 13, 4) AND_TAP(30, 31, 13, 3) \
  ADD_FIRST(24, 25) TAP(24, 25, 14, 6) ADD_SECOND(30, 31) ADD_FIRST(26, 27) ADD_SECOND(24, 25) ADD_FIRST(28, 29)     \
  REPAID S1_LOAD_LEFT
#define S1_SUMS FILTER_ZERO_POINT COLUMN_SUM(24, 25, 9, 10, 11) COLUMN_SUM(26, 27, 12, 13, 14)
#define S1_REPAY_FINISH S1_SUMS REPAY_FIRST(24, 25) ADD_SUM(24, 25, 26, 27) REPAY_SECOND(24, 25)
#define S1_REPAY_START S1_SUMS ADD_SUM(24, 25, 26, 27) REPAY_SECOND(26, 27) REPAY_FIRST(24, 25)
#define S1_REPAY_LAST FILTER_ZERO_POINT COLUMN_SUM(24, 25, 9, 10, 11) REPAY_FIRST(24, 25)

#define S1(FLIPS, ROUND, NARROW, TO_BYTE, REPAID)                                                                      \
  "mov x19, #0\n"                                                                                                      \
  "mov x20, #8\n"                                                                                                      \
  LOOKUP_ALL S1_LOAD_LEFT S1_LOAD_RIGHT FLIPS(9, 10, 11, 31) FLIPS(12, 13, 14, 31)                                     \
  ADVANCE LOOKUP_ALL S1_START(REPAID(S1_REPAY_START))                                                                  \
  "subs %[n], %[n], #2\n"                                                                                              \
  "b.lo 2f\n"                                                                                                          \
  "1:\n"                                                                                                               \
  S1_LOAD_RIGHT FLIPS(9, 10, 11, 31) FLIPS(12, 13, 14, 31) ADVANCE S1_FINISH REPAID(S1_REPAY_FINISH)                   \
  STAGE(ROUND, NARROW, TO_BYTE, LOOKUP) S1_START(REPAID(S1_REPAY_START))                                               \
  "subs %[n], %[n], #2\n"                                                                                              \
  "b.hs 1b\n"                                                                                                          \
  "2: tbz %[n], #0, 3f\n"                                                                                              \
  FLIPS(9, 10, 11, 31) TAP(24, 25, 9, 2) TAP(26, 27, 11, 8) AND_TAP(24, 25, 10, 5) ADD_FIRST(24, 25) ADD_FIRST(26, 27) \
  REPAID(S1_REPAY_LAST) LAST_STAGE(ROUND, NARROW, TO_BYTE)                                                             \
  "3:\n"

// ---- stride 2: three columns of pixels, v9-v11, v12-v14 and v24-v26; the last of one output column is the first of the next
#define S2_NINE(ADD_TO, a0, a1, a2, b0, b1, b2, c0, c1, c2)                                                         \
  TAP(27, 28, a0, 0) TAP(29, 30, a2, 6) AND_TAP(27, 28, a1, 3) AND_TAP(29, 30, b2, 7) ADD_TO(27, 28)                \
  TAP(27, 28, b0, 1) ADD_TO(29, 30) TAP(29, 30, c0, 2) AND_TAP(27, 28, b1, 4) AND_TAP(29, 30, c1, 5) ADD_TO(27, 28) \
  TAP(27, 28, c2, 8) ADD_TO(29, 30) ADD_TO(27, 28)
#define S2_REPAY(REPAY_TO, a0, a1, a2, b0, b1, b2, c0, c1, c2)                                          \
  FILTER_ZERO_POINT COLUMN_SUM(27, 28, a0, a1, a2) COLUMN_SUM(29, 30, b0, b1, b2) ADD_PIXEL(27, 28, c0) \
  ADD_PIXEL(29, 30, c1) ADD_PIXEL(27, 28, c2) ADD_SUM(27, 28, 29, 30) REPAY_TO(27, 28)
#define S2_A 9, 10, 11
#define S2_B 12, 13, 14
#define S2_C 24, 25, 26
#define S2_NINE_OF(...) S2_NINE(__VA_ARGS__)
#define S2_REPAY_OF(...) S2_REPAY(__VA_ARGS__)
#define S2_LOAD(a0, a1, a2, b0, b1, b2) LOAD(a0, 0) LOAD(a1, 1) LOAD(a2, 2) LOAD(b0, 3) LOAD(b1, 4) LOAD(b2, 5)

#define S2(FLIPS, ROUND, NARROW, TO_BYTE, REPAID)                                                                               \
  "mov x20, #0\n"                                                                                                               \
  LOOKUP_3 LOOKUP_4 LOOKUP_5 LOAD(9, 3) LOAD(10, 4) LOAD(11, 5) FLIPS(9, 10, 11, 31)                                            \
  "mov x19, #8\n"                                                                                                               \
  "mov x20, #16\n"                                                                                                              \
  LOOKUP_ALL                                                                                                                    \
  "subs %[n], %[n], #2\n"                                                                                                       \
  "b.lo 2f\n"                                                                                                                   \
  "1:\n"                                                                                                                        \
  S2_LOAD(12, 13, 14, 24, 25, 26) ADVANCE LOOKUP_ALL BIASES(16, 17, 18, 19) BIASES(20, 21, 22, 23)                              \
  FLIPS(12, 13, 14, 31) FLIPS(24, 25, 26, 31)                                                                                   \
  S2_NINE_OF(ADD_FIRST, S2_A, S2_B, S2_C) REPAID(S2_REPAY_OF(REPAY_FIRST, S2_A, S2_B, S2_C))                                    \
  S2_LOAD(12, 13, 14, 9, 10, 11) ADVANCE FLIPS(12, 13, 14, 31) FLIPS(9, 10, 11, 31)                                             \
  S2_NINE_OF(ADD_SECOND, S2_C, S2_B, S2_A) REPAID(S2_REPAY_OF(REPAY_SECOND, S2_C, S2_B, S2_A))                                  \
  STAGE(ROUND, NARROW, TO_BYTE, LOOKUP)                                                                                         \
  "subs %[n], %[n], #2\n"                                                                                                       \
  "b.hs 1b\n"                                                                                                                   \
  "2: tbz %[n], #0, 3f\n"                                                                                                       \
  S2_LOAD(12, 13, 14, 24, 25, 26) BIASES(16, 17, 18, 19) FLIPS(12, 13, 14, 31) FLIPS(24, 25, 26, 31)                            \
  S2_NINE_OF(ADD_FIRST, S2_A, S2_B, S2_C) REPAID(S2_REPAY_OF(REPAY_FIRST, S2_A, S2_B, S2_C)) LAST_STAGE(ROUND, NARROW, TO_BYTE) \
  "3:\n"

// ---- kernels
#define SYMMETRIC(...)
#define ASYMMETRIC(...) __VA_ARGS__

#define WEIGHTS(v, at) "ldr q" #v ", [%[panel], #16*(4+" #at ")]\n"
#define LOOP(BODY)                                                                                                                                    \
  __asm__ volatile(WEIGHTS(0, 0) WEIGHTS(1, 1) WEIGHTS(2, 2) WEIGHTS(3, 3) WEIGHTS(4, 4) WEIGHTS(5, 5) WEIGHTS(6, 6) WEIGHTS(7, 7) WEIGHTS(8, 8) BODY \
          : [n] "+r"(n_cols), [out] "+r"(out)                                                                                                         \
          : [row0] "r"(rows[0]), [row1] "r"(rows[1]), [row2] "r"(rows[2]), [last] "r"(last), [channel] "r"(channel),                                  \
            [panel] "r"(panel), [out_column] "r"(args->out_col_stride), [output] "r"(&output),                \
            [filter_zero_point] "r"(args->filter_zero_point)                                                                                          \
          : "x0", "x1", "x2", "x3", "x4", "x5", "x19", "x20", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", \
            "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc",       \
            "memory")

// The outputs that the loops make: int8 of int8, or uint8 of uint8, by right shifts.
enum usual { UNUSUAL, INT8, INT8_CLAMPED, UINT8, UINT8_WIDE, UINT8_CLAMPED, UINT8_ASYMMETRIC, UINT8_ASYMMETRIC_CLAMPED };

static enum usual usual(const struct tvmq_depthwise_args *args) {
  const struct tvmq_stage *stage = args->stage;
  const bool clamps = tvmq_stage_clamps(stage);
  if (args->in_flip != stage->flip || stage->rounding == TVMQ_ROUNDING_SINGLE || !stage->right_shifts) return UNUSUAL;
  if (stage->flip && args->filter_zero_point) return clamps ? UINT8_ASYMMETRIC_CLAMPED : UINT8_ASYMMETRIC;
  if (stage->flip) return clamps ? UINT8_CLAMPED : stage->fits_int16 ? UINT8 : UINT8_WIDE;
  return args->filter_zero_point || !stage->fits_int16 ? UNUSUAL : clamps ? INT8_CLAMPED : INT8;
}

// What suits the call.
#define CASE(KIND, STRIDE, ...)     \
  case KIND:                        \
    LOOP(S##STRIDE(__VA_ARGS__));   \
    break;
#define LOOPS(STRIDE, ROUND)                                                                              \
  switch (kind) {                                                                                         \
    CASE(INT8, STRIDE, FLIP_INT8, ROUND, FITTING, TO_INT8, SYMMETRIC)                                     \
    CASE(INT8_CLAMPED, STRIDE, FLIP_INT8, ROUND, FITTING, TO_INT8_CLAMPED, SYMMETRIC)                     \
    CASE(UINT8, STRIDE, FLIP_UINT8, ROUND, FITTING, TO_UINT8, SYMMETRIC)                                  \
    CASE(UINT8_WIDE, STRIDE, FLIP_UINT8, ROUND, SATURATING, TO_UINT8, SYMMETRIC)                          \
    CASE(UINT8_CLAMPED, STRIDE, FLIP_UINT8, ROUND, SATURATING, TO_UINT8_CLAMPED, SYMMETRIC)               \
    CASE(UINT8_ASYMMETRIC, STRIDE, FLIP_UINT8, ROUND, SATURATING, TO_UINT8, ASYMMETRIC)                   \
    CASE(UINT8_ASYMMETRIC_CLAMPED, STRIDE, FLIP_UINT8, ROUND, SATURATING, TO_UINT8_CLAMPED, ASYMMETRIC)   \
    case UNUSUAL:                                                                                         \
      return false;                                                                                       \
  }

#define KERNEL(STRIDE)                                                                                                                \
  bool tvmq_depthwise_3x3s##STRIDE##_neon(const struct tvmq_depthwise_args *args) {                                                   \
    const enum usual kind = usual(args);                                                                                              \
    if (kind == UNUSUAL) return false;                                                                                                \
    const struct tvmq_neon_output output = tvmq_neon_output(args->stage);                                                             \
    const bool ties_up = tvmq_stage_ties_up(args->stage);                                                                             \
    const size_t last = ((args->n_cols - 1) * STRIDE + 2) * sizeof(void *);                                                           \
    const char *panel = args->panel;                                                                                                  \
    for (size_t channel = args->channel_offset, c = 0; c < args->n_blocks * 16; c += 16, channel += 16, panel += args->panel_bytes) { \
      for (size_t y = 0; y < args->n_rows; y++) {                                                                                     \
        const void *const *const row = args->pixels + y * args->stride_h * args->pixels_stride;                                               \
        const void *const *const rows[3] = {row, row + args->pixels_stride, row + 2 * args->pixels_stride};                           \
        uint8_t *out = (uint8_t *)args->out + c + y * args->out_row_stride;                                                           \
        size_t n_cols = args->n_cols;                                                                                                 \
        if (ties_up) {                                                                                                                \
          LOOPS(STRIDE, UP)                                                                                                           \
        } else {                                                                                                                      \
          LOOPS(STRIDE, AWAY)                                                                                                         \
        }                                                                                                                             \
      }                                                                                                                               \
    }                                                                                                                                 \
    return true;                                                                                                                      \
  }

KERNEL(1)
KERNEL(2)
