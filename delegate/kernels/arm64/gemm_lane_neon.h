// Shared by the gemm kernels for Armv8.0 that multiply with a lane of int16 (smlal by element): tiles of 8 rows x 8
// channels, int16 weights.
//
//                        weights of a depth
//           v0    v16   v17
//   rows    ...   ...   ...
//           v7    v30   v31
//
// x0-x7 are row pointers, x8 the offset in them.
#pragma once

#include "kernels/arm64/gemm_neon_tile.h"

// clang-format off
#define ROW(reg, row) "ldr " #reg #row ", [x" #row ", x8]\n"
#define WEIGHTS(b, offset) "ldr q" #b ", [%[weights], #" #offset "]\n"
#define PRODUCTS(low, high, row, b, lane)                               \
  "smlal v" #low ".4s, v" #b ".4h, v" #row ".h[" #lane "]\n"            \
  "smlal2 v" #high ".4s, v" #b ".8h, v" #row ".h[" #lane "]\n"

// Skips the biases, which precede the weights.
#define START "add %[weights], %[weights], #32\n" TVMQ_NEON_TERMS_8X8

// The assembly statement with its operands and registers.
#define LANE_SUMS(args, tile, text)                                                                                                     \
  TVMQ_NEON_TILE_SUMS(args, tile, text, "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", \
                 "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15")
// clang-format on
