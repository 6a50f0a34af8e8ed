// Words of assembly for the hot loops of depthwise_3x3_dotprod.c, and for no other file: instructions on numbered registers, as strings. It shares names with
// depthwise_loops_neon.h; no file includes both.
//
// x0-x9 pixels, x19 x20 offsets in the table of the two columns that come next.
#pragma once

// clang-format off
#define POINTER(pixel, row, offset) "ldr x" #pixel ", [%[row" #row "], x" #offset "]\n"
#define LOAD(v, pixel) "ldr d" #v ", [x" #pixel ", %[channel]]\n"
#define ZIP(op, type, d, a, b) #op " v" #d "." #type ", v" #a "." #type ", v" #b "." #type "\n"
#define SDOT(acc, quad, w) "sdot v" #acc ".4s, v" #quad ".16b, v" #w ".16b\n"
#define CONSTANT(v, at) "ldr q" #v ", [%[panel], #16*" #at "]\n"
#define CONSTANTS(v0, v1, at) "ldr q" #v0 ", [%[panel], #16*" #at "]\n" "ldr q" #v1 ", [%[panel], #16*" #at "+16]\n"
#define BIASES(a0, a1, a2, a3) CONSTANTS(a0, a1, 0) CONSTANTS(a2, a3, 0)

// What uint8 pixels are flipped by, and the flip.
#define FROM_UINT8_BY(by) "movi v" #by ".16b, #0x80\n"
#define FROM_UINT8(v, by) "eor v" #v ".16b, v" #v ".16b, v" #by ".16b\n"
#define FROM_INT8_BY(by)
#define FROM_INT8(v, by)

// Four products of quads with weights, and beside them up to four things that in-order cores do at the same time.
#define PRODUCTS(a0, a1, a2, a3, q0, q1, q2, q3, w0, w1, w2, w3, b0, b1, b2, b3, ...) \
  SDOT(a0, q0, w0) b0 SDOT(a1, q1, w1) b1 SDOT(a2, q2, w2) b2 SDOT(a3, q3, w3) b3
#define FIRST(...) PRODUCTS(0, 1, 2, 3, __VA_ARGS__, , , , , )
#define SECOND(...) PRODUCTS(4, 5, 6, 7, __VA_ARGS__, , , , , )

// Two products: of an output row alone, whose sums of two columns are v0 v1 and v2 v3.
#define TWO_PRODUCTS(a0, a1, q0, q1, w0, w1, b0, b1, b2, ...) SDOT(a0, q0, w0) b0 SDOT(a1, q1, w1) b1 b2
#define LEFT(...) TWO_PRODUCTS(0, 1, __VA_ARGS__, , , , )
#define RIGHT(...) TWO_PRODUCTS(2, 3, __VA_ARGS__, , , , )

// The products of one plane, or of two: ADD is FIRST or SECOND. What else is given are weights, and what is done beside.
#define ONE_PLANE(ADD, quads, term, ...) ADD(quads, __VA_ARGS__)
#define TWO_PLANES(ADD, quads, term, ...) ADD(quads, __VA_ARGS__) ADD(quads, term)

// Accumulators to rescaled values in other registers: the doubling high product, shifted with ties up; less one where negative for ties away from zero.
#define SIGN(d, acc) "cmlt v" #d ".4s, v" #acc ".4s, #0\n"
#define AWAY_MULTIPLY(d, acc, multiplier) "sqrdmlah v" #d ".4s, v" #acc ".4s, v" #multiplier ".4s\n"
#define UP_MULTIPLY(d, acc, multiplier) "sqrdmulh v" #d ".4s, v" #acc ".4s, v" #multiplier ".4s\n"
#define SHIFT(d, shift) "srshl v" #d ".4s, v" #d ".4s, v" #shift ".4s\n"
#define UP_SIGNS(...)
#define AWAY_SIGNS(d0, d1, d2, d3, a0, a1, a2, a3) SIGN(d0, a0) SIGN(d1, a1) SIGN(d2, a2) SIGN(d3, a3)
// Two vectors of rescaled values, narrowed to int16, and the zero point: what fits, or what may have to saturate.
#define FITTING(d, a, b) "uzp1 v" #d ".8h, v" #a ".8h, v" #b ".8h\n"
#define SATURATING(d, a, b) "sqxtn v" #d ".4h, v" #a ".4s\n" "sqxtn2 v" #d ".8h, v" #b ".4s\n"
#define FITTING_ZERO_POINT(d) "add v" #d ".8h, v" #d ".8h, v7.8h\n"
#define SATURATING_ZERO_POINT(d) "sqadd v" #d ".8h, v" #d ".8h, v7.8h\n"
// To bytes, or to bytes between bounds in v4 and v5.
#define TO_INT8(d) "sqxtn v" #d ".8b, v" #d ".8h\n"
#define TO_UINT8(d) "sqxtun v" #d ".8b, v" #d ".8h\n"
#define TO_INT8_CLAMPED(d) TO_INT8(d) "smax v" #d ".8b, v" #d ".8b, v4.8b\n" "smin v" #d ".8b, v" #d ".8b, v5.8b\n"
#define TO_UINT8_CLAMPED(d) TO_UINT8(d) "umax v" #d ".8b, v" #d ".8b, v4.8b\n" "umin v" #d ".8b, v" #d ".8b, v5.8b\n"
#define TO_INT8_BOUNDS
#define TO_UINT8_BOUNDS
#define TO_INT8_CLAMPED_BOUNDS "ldr d4, [%[tiles], #16]\n" "ldr d5, [%[tiles], #32]\n"
#define TO_UINT8_CLAMPED_BOUNDS TO_INT8_CLAMPED_BOUNDS

// Sums of two columns, v0-v3 and v4-v7 (two rows of 8 channels each), to stored bytes; v28-v31 are scratch. LOOKUP(0) to (9) find the pixels that come next.
#define STAGE(...) STAGE_OF(__VA_ARGS__)
#define STAGE_OF(m0, m1, MULTIPLIERS, s0, s1, SHIFTS, ROUND, NARROW, TO_BYTE, LOOKUP)                                                                     \
  MULTIPLIERS ROUND##_SIGNS(28, 29, 30, 31, 0, 1, 2, 3)                                                                                                   \
  ROUND##_MULTIPLY(28, 0, m0) LOOKUP(0) ROUND##_MULTIPLY(29, 1, m1) LOOKUP(1) ROUND##_MULTIPLY(30, 2, m0) LOOKUP(2) ROUND##_MULTIPLY(31, 3, m1) LOOKUP(3) \
  ROUND##_SIGNS(0, 1, 2, 3, 4, 5, 6, 7)                                                                                                                   \
  ROUND##_MULTIPLY(0, 4, m0) LOOKUP(4) ROUND##_MULTIPLY(1, 5, m1) LOOKUP(5) ROUND##_MULTIPLY(2, 6, m0) LOOKUP(6) ROUND##_MULTIPLY(3, 7, m1) LOOKUP(7)     \
  SHIFTS "ldr q7, [%[tiles]]\n"                                                                                                                           \
  SHIFT(28, s0) LOOKUP(8) SHIFT(29, s1) LOOKUP(9) SHIFT(30, s0) SHIFT(31, s1) SHIFT(0, s0) SHIFT(1, s1) SHIFT(2, s0) SHIFT(3, s1)                         \
  NARROW(28, 28, 29) NARROW(30, 30, 31) NARROW(0, 0, 1) NARROW(2, 2, 3)                                                                                   \
  NARROW##_ZERO_POINT(28) NARROW##_ZERO_POINT(30) NARROW##_ZERO_POINT(0) NARROW##_ZERO_POINT(2)                                                           \
  TO_BYTE##_BOUNDS TO_BYTE(28) TO_BYTE(30) TO_BYTE(0) TO_BYTE(2)                                                                                          \
  "str d28, [%[out0]]\n"                                                                                                                                  \
  "str d30, [%[out1]]\n"                                                                                                                                  \
  "str d0, [%[out0], %[out_column]]\n"                                                                                                                    \
  "str d2, [%[out1], %[out_column]]\n"                                                                                                                    \
  NEXT_COLUMNS

// The same for half of that: a last, odd column of two rows, v0 v1 and v2 v3, or two columns of one row. d0-d3 are scratch.
#define HALF_STAGE(...) HALF_STAGE_OF(__VA_ARGS__)
#define HALF_STAGE_OF(d0, d1, d2, d3, m0, m1, MULTIPLIERS, s0, s1, SHIFTS, ROUND, NARROW, TO_BYTE, LOOKUP)                                                \
  MULTIPLIERS ROUND##_SIGNS(d0, d1, d2, d3, 0, 1, 2, 3)                                                                                                   \
  ROUND##_MULTIPLY(d0, 0, m0) LOOKUP(0) ROUND##_MULTIPLY(d1, 1, m1) LOOKUP(1) ROUND##_MULTIPLY(d2, 2, m0) LOOKUP(2) ROUND##_MULTIPLY(d3, 3, m1) LOOKUP(3) \
  SHIFTS "ldr q7, [%[tiles]]\n"                                                                                                                           \
  SHIFT(d0, s0) LOOKUP(4) SHIFT(d1, s1) LOOKUP(5) SHIFT(d2, s0) LOOKUP(6) SHIFT(d3, s1) LOOKUP(7)                                                         \
  NARROW(d0, d0, d1) LOOKUP(8) NARROW(d2, d2, d3) LOOKUP(9)                                                                                               \
  NARROW##_ZERO_POINT(d0) NARROW##_ZERO_POINT(d2) TO_BYTE##_BOUNDS TO_BYTE(d0) TO_BYTE(d2)                                                                \
  "str d" #d2 ", [%[out1]]\n"                                                                                                                             \
  "str d" #d0 ", [%[out0]]\n"
#define NO_LOOKUP(i)
// Where a column is left of a row alone, what goes to the place of a second one is overwritten by the first.
#define ONLY_FIRST "mov %[out1], %[out0]\n"
#define NEXT_COLUMNS                              \
  "add %[out0], %[out0], %[out_column], lsl #1\n" \
  "add %[out1], %[out1], %[out_column], lsl #1\n"

// Two columns on, but not past the last; in between there is time for other things.
#define ADVANCE(MEANWHILE, AND_THEN)                            \
  "add x19, x19, #16\n"                                         \
  "add x20, x19, #8\n"                                          \
  "cmp x19, %[last]\n" MEANWHILE "csel x19, x19, %[last], lo\n" \
  "cmp x20, %[last]\n" AND_THEN "csel x20, x20, %[last], lo\n"
