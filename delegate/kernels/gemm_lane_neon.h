// What the gemm kernels for Armv8.0 share that multiply with a lane of int16 (smlal by element): tiles of 8 rows x 8 channels, weights of int16.
//
//                        weights of a depth
//           v0    v16   v17
//   rows    ...   ...   ...
//           v7    v30   v31
//
// x0-x7 are row pointers, x8 the offset in them.
#pragma once

#include "gemm_neon_tile.h"

// clang-format off
#define ROW(reg, row) "ldr " #reg #row ", [x" #row ", x8]\n"
#define WEIGHTS(b, offset) "ldr q" #b ", [%[weights], #" #offset "]\n"
#define PRODUCTS(low, high, row, b, lane)                               \
  "smlal v" #low ".4s, v" #b ".4h, v" #row ".h[" #lane "]\n"            \
  "smlal2 v" #high ".4s, v" #b ".8h, v" #row ".h[" #lane "]\n"

// The accumulators begin as bias + row term; the biases stand before the weights.
#define TERM(row, four, lane) "dup v" #row ".4s, v" #four ".s[" #lane "]\n"
#define START(acc, b, row) "add v" #acc ".4s, v" #b ".4s, v" #row ".4s\n"
#define BIASES                                                                                   \
  "ldr q0, [%[terms]]\nldr q4, [%[terms], #16]\n" WEIGHTS(8, 0) WEIGHTS(9, 16)                   \
  TERM(3, 0, 3) TERM(2, 0, 2) TERM(1, 0, 1) TERM(0, 0, 0)                                        \
  TERM(7, 4, 3) TERM(6, 4, 2) TERM(5, 4, 1) TERM(4, 4, 0)                                        \
  START(16, 8, 0) START(17, 9, 0) START(18, 8, 1) START(19, 9, 1)                                \
  START(20, 8, 2) START(21, 9, 2) START(22, 8, 3) START(23, 9, 3)                                \
  START(24, 8, 4) START(25, 9, 4) START(26, 8, 5) START(27, 9, 5)                                \
  START(28, 8, 6) START(29, 9, 6) START(30, 8, 7) START(31, 9, 7)                                \
  "add %[weights], %[weights], #32\n"

#define POINTERS                                                                                 \
  "ldp x0, x1, [%[rows]]\n"                                                                      \
  "ldp x2, x3, [%[rows], #16]\n"                                                                 \
  "ldp x4, x5, [%[rows], #32]\n"                                                                 \
  "ldp x6, x7, [%[rows], #48]\n"                                                                 \
  "add %[rows], %[rows], #64\n"

// The statement, its operands and registers.
#define LANE_SUMS(tile, args, text)                                                                                              \
  TVMQ_NEON_SUMS(tile, args, text, "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", \
                 "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15")
// clang-format on
