// Macros for the hot loops of depthwise_3x3_dotprod.c, and for no other file: assembly instructions on numbered
// registers, as strings. Names are also in depthwise_loops_neon.h; no file includes both.
//
// In-order cores start one vector instruction per cycle. In the same cycle they start another instruction after it: a
// load, or an update of pointers. So macros for several vector instructions have arguments for what follows each of
// them (b0, b1, ...; possibly empty). An instruction must not finish before an earlier one, or it waits. Loads of
// pointers and pixels, with an offset in a register, take as long as most vector instructions. Loads of constants and
// arithmetic are shorter, and are placed beside SHIFTS and ZERO_POINTS.
//
// x0-x9 pixels; x19 x20 offsets in the table of the next two columns.
#pragma once

// clang-format off
#define POINTER(pixel, row, offset) "ldr x" #pixel ", [%[row" #row "], x" #offset "]\n"
#define LOAD(v, pixel) "ldr d" #v ", [x" #pixel ", %[channel]]\n"
#define STORE(v, out) "str d" #v ", [%[" #out "]]\n"
#define STORE_RIGHT(v, out) "str d" #v ", [%[" #out "], %[out_column]]\n"
#define ZIP(op, type, d, a, b) #op " v" #d "." #type ", v" #a "." #type ", v" #b "." #type "\n"
#define PAIR(d, a, b) ZIP(zip1, 16b, d, a, b)
#define LOW_QUAD(d, a, b) ZIP(zip1, 8h, d, a, b)
#define HIGH_QUAD(d, a, b) ZIP(zip2, 8h, d, a, b)
#define SDOT(acc, quad, w) "sdot v" #acc ".4s, v" #quad ".16b, v" #w ".16b\n"
#define CONSTANT(v, at) "ldr q" #v ", [%[panel], #16*" #at "]\n"
#define CONSTANTS(v0, v1, at) "ldr q" #v0 ", [%[panel], #16*" #at "]\n" "ldr q" #v1 ", [%[panel], #16*" #at "+16]\n"
#define LOW_BIAS(acc) CONSTANT(acc, 0)
#define HIGH_BIAS(acc) CONSTANT(acc, 1)

// Load the mask that flips uint8 pixels, and flip.
#define FROM_UINT8_BY(by) "movi v" #by ".16b, #0x80\n"
#define FROM_UINT8(v, by) "eor v" #v ".16b, v" #v ".16b, v" #by ".16b\n"
#define FROM_INT8_BY(by)
#define FROM_INT8(v, by)

// Add four products of quads and weights: of the first or second of two columns (two rows), or of both columns of a
// single row.
#define PRODUCTS(a0, a1, a2, a3, q0, q1, q2, q3, w0, w1, w2, w3, b0, b1, b2, b3, ...) \
  SDOT(a0, q0, w0) b0 SDOT(a1, q1, w1) b1 SDOT(a2, q2, w2) b2 SDOT(a3, q3, w3) b3
#define FIRST(...) PRODUCTS(0, 1, 2, 3, __VA_ARGS__, , , , , )
#define SECOND(...) PRODUCTS(4, 5, 6, 7, __VA_ARGS__, , , , , )
// Adds two products of a single row: of its left column, whose sums are v0 v1, or of the right one, v2 v3.
#define TWO_PRODUCTS(a0, a1, q0, q1, w0, w1, b0, b1, ...) SDOT(a0, q0, w0) b0 SDOT(a1, q1, w1) b1
#define LEFT(...) TWO_PRODUCTS(0, 1, __VA_ARGS__, , , )
#define RIGHT(...) TWO_PRODUCTS(2, 3, __VA_ARGS__, , , )

// Add the products of one plane, or of two. ADD: a macro above. The other arguments are weights, and instructions to
// interleave.
#define ONE_PLANE(ADD, quads, term, ...) ADD(quads, __VA_ARGS__)
#define TWO_PLANES(ADD, quads, term, ...) ADD(quads, __VA_ARGS__) ADD(quads, term)

// ---- the output stage
//
// Rescale two accumulators into other registers. AWAY: the doubling high product, minus 1 if negative, shifted with
// ties up. FUSED: one multiply-add with the addends, which are in the panel from `at` on, in place of the shifts.
#define AWAY_BEGIN(d0, d1, a0, a1, at) "cmlt v" #d0 ".4s, v" #a0 ".4s, #0\n" "cmlt v" #d1 ".4s, v" #a1 ".4s, #0\n"
#define AWAY_MULTIPLY(d, acc, multiplier) "sqrdmlah v" #d ".4s, v" #acc ".4s, v" #multiplier ".4s\n"
#define AWAY_SHIFT(d, shift) "srshl v" #d ".4s, v" #d ".4s, v" #shift ".4s\n"
#define FUSED_BEGIN(d0, d1, a0, a1, at) CONSTANTS(d0, d1, at)
#define FUSED_MULTIPLY(d, acc, slope) "fmls v" #d ".4s, v" #acc ".4s, v" #slope ".4s\n"
#define FUSED_SHIFT(...)
#define AWAY_LOAD(SHIFTS) SHIFTS
#define FUSED_LOAD(SHIFTS)
// PLANES: a prefix. The macros append suffixes for what depends on the number of planes: the registers of the
// multipliers, and how they and the shifts are loaded.
#define BEGIN(ROUND, PLANES, d0, d1, a0, a1) ROUND##_BEGIN(d0, d1, a0, a1, PLANES##_AT)
#define MULTIPLY_OF(ROUND, d0, d1, a0, a1, m0, m1, b0, b1) ROUND##_MULTIPLY(d0, a0, m0) b0 ROUND##_MULTIPLY(d1, a1, m1) b1
#define MULTIPLY_BY(...) MULTIPLY_OF(__VA_ARGS__)
#define MULTIPLY_IN(ROUND, PLANES, d0, d1, a0, a1, b0, b1, ...) MULTIPLY_BY(ROUND, d0, d1, a0, a1, PLANES##_MULTIPLIERS, b0, b1)
#define MULTIPLY(...) MULTIPLY_IN(__VA_ARGS__, , , )
#define LOAD_SHIFTS(ROUND, PLANES) ROUND##_LOAD(PLANES##_LOAD_SHIFTS)
#define SHIFTS_OF(ROUND, d0, d1, s0, s1, b0, b1, ...) ROUND##_SHIFT(d0, s0) b0 ROUND##_SHIFT(d1, s1) b1
#define SHIFTS(...) SHIFTS_OF(__VA_ARGS__, , , )
// Narrow two vectors of rescaled values to int16, and add the zero point. Variants: the sum fits int16, the sum may
// saturate, or the fused form already includes the zero point.
#define FITTING(d, a, b) "uzp1 v" #d ".8h, v" #a ".8h, v" #b ".8h\n"
#define SATURATING(d, a, b) "sqxtn v" #d ".4h, v" #a ".4s\n" "sqxtn2 v" #d ".8h, v" #b ".4s\n"
#define LOWEST(d, a, b) FITTING(d, a, b)
#define LOAD_ZERO_POINT(NARROW, v) NARROW##_LOAD(v)
#define FITTING_LOAD(v) "ldr q" #v ", [%[tiles]]\n"
#define SATURATING_LOAD(v) FITTING_LOAD(v)
#define LOWEST_LOAD(v)
#define FITTING_ZERO_POINT(d, v) "add v" #d ".8h, v" #d ".8h, v" #v ".8h\n"
#define SATURATING_ZERO_POINT(d, v) "sqadd v" #d ".8h, v" #d ".8h, v" #v ".8h\n"
#define LOWEST_ZERO_POINT(d, v)
#define ZERO_POINTS(NARROW, d0, d1, v, b0, b1) NARROW##_ZERO_POINT(d0, v) b0 NARROW##_ZERO_POINT(d1, v) b1
// Narrow to bytes, with or without clamp.
#define TO_INT8(d, ...) "sqxtn v" #d ".8b, v" #d ".8h\n"
#define TO_UINT8(d, ...) "sqxtun v" #d ".8b, v" #d ".8h\n"
#define TO_INT8_CLAMPED(d, min, max) TO_INT8(d) "smax v" #d ".8b, v" #d ".8b, v" #min ".8b\n" "smin v" #d ".8b, v" #d ".8b, v" #max ".8b\n"
#define TO_UINT8_CLAMPED(d, min, max) TO_UINT8(d) "umax v" #d ".8b, v" #d ".8b, v" #min ".8b\n" "umin v" #d ".8b, v" #d ".8b, v" #max ".8b\n"
#define TO_INT8_BOUNDS(...)
#define TO_UINT8_BOUNDS(...)
#define TO_INT8_CLAMPED_BOUNDS(min, max) "ldr d" #min ", [%[tiles], #16]\n" "ldr d" #max ", [%[tiles], #32]\n"
#define TO_UINT8_CLAMPED_BOUNDS(min, max) TO_INT8_CLAMPED_BOUNDS(min, max)
#define BYTES(TYPE, d0, d1, min, max, b0, b1) TYPE##_BOUNDS(min, max) TYPE(d0, min, max) b0 TYPE(d1, min, max) b1

// The whole output stage for v0-v3, using d0-d3: for a last, odd column of two rows, or of a single row. For a single
// row v2 v3 are meaningless, and are stored where v0 v1 are stored next.
#define LAST_STAGE(...) LAST_STAGE_OF(__VA_ARGS__)
#define LAST_STAGE_OF(d0, d1, d2, d3, zero_point, PLANES, s0, s1, ROUND, NARROW, TO_BYTE)                                                   \
  LOAD_ZERO_POINT(NARROW, zero_point) PLANES##_LOAD_MULTIPLIERS BEGIN(ROUND, PLANES, d0, d1, 0, 1) BEGIN(ROUND, PLANES, d2, d3, 2, 3) \
  MULTIPLY(ROUND, PLANES, d0, d1, 0, 1) MULTIPLY(ROUND, PLANES, d2, d3, 2, 3) \
  LOAD_SHIFTS(ROUND, PLANES) SHIFTS(ROUND, d0, d1, s0, s1) SHIFTS(ROUND, d2, d3, s0, s1) NARROW(d0, d0, d1) NARROW(d2, d2, d3)              \
  ZERO_POINTS(NARROW, d0, d2, zero_point, , ) BYTES(TO_BYTE, d0, d2, d1, d3, , ) STORE(d2, out1) STORE(d0, out0)
