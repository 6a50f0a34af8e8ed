// int8 gemm for Armv8.0 by rotated products (gemm_rotation_neon.h), for lines of rows at a constant distance
// (TVMQ_LINES). Depths are computed in fours, so that a 3x3 filter on three channels needs 28 depths for its 27.
#include "kernels/arm64/gemm_rotation_neon.h"

// clang-format off
#define SUMS_4X16(args, tile, FLIPS)                                                                                               \
  TVMQ_NEON_LINE_SUMS(args, tile,                                                                                                  \
                      SUMS(START_4X16, TVMQ_NEON_POINTERS_4, "", FLIPS, SIXTEEN_4X16(PAIRS), PAIRED_EIGHT_4X16,                    \
                           "128", FOUR(FLIPS, FOUR_4X16, "64")),                                                                   \
                      "x0", "x1", "x2", "x3", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",     \
                      "v13", "v14", "v15")
#define SUMS_4X16_PLAIN(args, tile) SUMS_4X16(args, tile, NO_FLIPS)
#define SUMS_4X16_FLIPPED(args, tile) SUMS_4X16(args, tile, FLIPS)

#define SUMS_8X8(args, tile, FLIPS)                                                                                                     \
  TVMQ_NEON_LINE_SUMS(args, tile,                                                                                                       \
                      SUMS(START_8X8, TVMQ_NEON_POINTERS_8, KEEP_OFFSET_8X8, FLIPS, SIXTEEN_8X8(PAIRS, FLIPS), PAIRED_EIGHT_8X8(FLIPS), \
                           "64", FOUR(FLIPS, FOUR_8X8(FLIPS), "32")),                                                                   \
                      "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x14", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",      \
                      "v9", "v10", "v11", "v12", "v13", "v14", "v15")
#define SUMS_8X8_PLAIN(args, tile) SUMS_8X8(args, tile, NO_FLIPS)
#define SUMS_8X8_FLIPPED(args, tile) SUMS_8X8(args, tile, FLIPS)
// clang-format on

TVMQ_NEON_LINES(tvmq_gemm_s8_4x16r4pl__neon, TVMQ_NEON_4X16, SUMS_4X16_PLAIN, SUMS_4X16_FLIPPED)
TVMQ_NEON_LINES(tvmq_gemm_s8_8x8r4pl__neon, TVMQ_NEON_8X8, SUMS_8X8_PLAIN, SUMS_8X8_FLIPPED)
