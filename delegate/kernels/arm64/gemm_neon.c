// int8 gemm for Armv8.0 by rotated products (gemm_rotation_neon.h); kernels read rows in place.
#include "kernels/arm64/gemm_rotation_neon.h"

// clang-format off
#define SUMS_4X16(args, tile, STEP, EIGHT, FLIPS)                                                                          \
  TVMQ_NEON_TILE_SUMS(args, tile, SUMS(START_4X16, TVMQ_NEON_TABLE_POINTERS_4, "", FLIPS, SIXTEEN_4X16(STEP), EIGHT, "128", ""), \
                 "x0", "x1", "x2", "x3", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",  \
                 "v13", "v14", "v15")
#define PAIRS_4X16(args, tile) SUMS_4X16(args, tile, PAIRS, PAIRED_EIGHT_4X16, NO_FLIPS)
#define PAIRS_4X16_FLIPPED(args, tile) SUMS_4X16(args, tile, PAIRS, PAIRED_EIGHT_4X16, FLIPS)
#define SINGLES_4X16(args, tile) SUMS_4X16(args, tile, SINGLES, SINGLE_EIGHT_4X16, NO_FLIPS)
#define SINGLES_4X16_FLIPPED(args, tile) SUMS_4X16(args, tile, SINGLES, SINGLE_EIGHT_4X16, FLIPS)

#define SUMS_8X8(args, tile, STEP, EIGHT, FLIPS)                                                                                         \
  TVMQ_NEON_TILE_SUMS(args, tile, SUMS(START_8X8, TVMQ_NEON_TABLE_POINTERS_8, KEEP_OFFSET_8X8, FLIPS, SIXTEEN_8X8(STEP, FLIPS), EIGHT, "64", ""), \
                 "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x14", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",            \
                 "v9", "v10", "v11", "v12", "v13", "v14", "v15")
#define PAIRS_8X8(args, tile) SUMS_8X8(args, tile, PAIRS, PAIRED_EIGHT_8X8(NO_FLIPS), NO_FLIPS)
#define PAIRS_8X8_FLIPPED(args, tile) SUMS_8X8(args, tile, PAIRS, PAIRED_EIGHT_8X8(FLIPS), FLIPS)
#define SINGLES_8X8(args, tile) SUMS_8X8(args, tile, SINGLES, SINGLE_EIGHT_8X8(NO_FLIPS), NO_FLIPS)
#define SINGLES_8X8_FLIPPED(args, tile) SUMS_8X8(args, tile, SINGLES, SINGLE_EIGHT_8X8(FLIPS), FLIPS)
// clang-format on

TVMQ_NEON_GEMM(tvmq_gemm_s8_4x16r4__neon, TVMQ_NEON_4X16, SINGLES_4X16, SINGLES_4X16_FLIPPED)
TVMQ_NEON_GEMM(tvmq_gemm_s8_4x16r4p__neon, TVMQ_NEON_4X16, PAIRS_4X16, PAIRS_4X16_FLIPPED)
TVMQ_NEON_GEMM(tvmq_gemm_s8_8x8r4__neon, TVMQ_NEON_8X8, SINGLES_8X8, SINGLES_8X8_FLIPPED)
TVMQ_NEON_GEMM(tvmq_gemm_s8_8x8r4p__neon, TVMQ_NEON_8X8, PAIRS_8X8, PAIRS_8X8_FLIPPED)
