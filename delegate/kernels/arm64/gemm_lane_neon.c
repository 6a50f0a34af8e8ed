// int8 gemm for Armv8.0 by multiplication with a lane of int16 (smlal by element), for few depths on in-order cores. An
// accumulator is a finished output: no lanes are added at the end. Weights are int16 minus the filter zero point, so
// any int8 weight is allowed.
//
// Further registers of the assembly, after those of gemm_lane_neon.h: x9 depths left in the tap, x10 taps left, x12
// depths of a tap.
#include "kernels/arm64/gemm_lane_neon.h"

// clang-format off
#define FLIP_MASK "movi v15.16b, #0x80\n"
#define WIDEN(row) "sxtl v" #row ".8h, v" #row ".8b\n"
#define WIDEN_FLIPPED(row) "usubl v" #row ".8h, v" #row ".8b, v15.8b\n" // a byte less 128 is the flipped byte as int8

// Eight depths of each row are widened in v0-v7; v8-v14 hold weights in turn, v15 the flip.
//
// One depth; meanwhile the weights of a later depth are loaded.
#define DEPTH(b, lane, LATER)                                                                                               \
  PRODUCTS(16, 17, 0, b, lane) LATER PRODUCTS(18, 19, 1, b, lane) PRODUCTS(20, 21, 2, b, lane) PRODUCTS(22, 23, 3, b, lane) \
  PRODUCTS(24, 25, 4, b, lane) PRODUCTS(26, 27, 5, b, lane) PRODUCTS(28, 29, 6, b, lane) PRODUCTS(30, 31, 7, b, lane)
#define ROWS(reg, WIDEN_ROW)                                                              \
  ROW(reg, 0) ROW(reg, 1) ROW(reg, 2) WEIGHTS(8, 0)                                       \
  WIDEN_ROW(0) ROW(reg, 3) WIDEN_ROW(1) ROW(reg, 4) WIDEN_ROW(2) ROW(reg, 5)              \
  WIDEN_ROW(3) ROW(reg, 6) WIDEN_ROW(4) ROW(reg, 7) WIDEN_ROW(5) WEIGHTS(9, 16)           \
  WIDEN_ROW(6) WIDEN_ROW(7)
#define EIGHT(WIDEN_ROW)                                                                    \
  ROWS(d, WIDEN_ROW)                                                                        \
  DEPTH(8, 0, WEIGHTS(10, 32)) DEPTH(9, 1, WEIGHTS(11, 48)) DEPTH(10, 2, WEIGHTS(12, 64))   \
  DEPTH(11, 3, WEIGHTS(13, 80)) DEPTH(12, 4, WEIGHTS(14, 96)) DEPTH(13, 5, WEIGHTS(8, 112)) \
  DEPTH(14, 6, "") DEPTH(8, 7, "")
#define FOUR(WIDEN_ROW)                                                                   \
  ROWS(s, WIDEN_ROW)                                                                      \
  DEPTH(8, 0, WEIGHTS(10, 32)) DEPTH(9, 1, WEIGHTS(11, 48)) DEPTH(10, 2, "") DEPTH(11, 3, "")

#define SUMS(MASK, WIDEN_ROW)                                                                    \
  START MASK                                                                                     \
  "ldr x10, [%[args], %[n_taps]]\n"                                                              \
  "1:\n"                                                                                         \
  TVMQ_NEON_TABLE_POINTERS_8                                                                     \
  "mov x8, #0\n"                                                                                 \
  "subs x9, x12, #8\n"                                                                           \
  "b.lo 3f\n"                                                                                    \
  "2:\n"                                                                                         \
  EIGHT(WIDEN_ROW)                                                                               \
  "add x8, x8, #8\n"                                                                             \
  "add %[weights], %[weights], #128\n"                                                           \
  "subs x9, x9, #8\n"                                                                            \
  "b.hs 2b\n"                                                                                    \
  "3: tbz x9, #2, 4f\n"                                                                          \
  FOUR(WIDEN_ROW)                                                                                \
  "add %[weights], %[weights], #64\n"                                                            \
  "4: subs x10, x10, #1\n"                                                                       \
  "b.ne 1b\n"
#define SUMS_8X8(args, tile, MASK, WIDEN_ROW) LANE_SUMS(args, tile, SUMS(MASK, WIDEN_ROW))
#define SUMS_8X8_PLAIN(args, tile) SUMS_8X8(args, tile, "", WIDEN)
#define SUMS_8X8_FLIPPED(args, tile) SUMS_8X8(args, tile, FLIP_MASK, WIDEN_FLIPPED)
// clang-format on

TVMQ_NEON_GEMM_OF(tvmq_gemm_s8_8x8w16__neon, TVMQ_NEON_8X8, tvmq_neon_away_path(a.stage), TVMQ_NEON_EITHER(args, tile, SUMS_8X8_PLAIN, SUMS_8X8_FLIPPED))
