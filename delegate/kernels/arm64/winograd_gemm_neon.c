// Gemm at one Winograd point for Armv8.0, by multiplication with a lane of int16 (smlal by element).
//
// Assembly, for the reasons in gemm_neon_tile.h, and because the tiles of a call form one stream. During the last
// depths of a tile, the first depths of the next tile are loaded; at the end, those of the first tile again. So
// in-order cores never wait for a load, and nothing outside the arguments is read.
#include "kernels/kernel.h"

// clang-format off
#define PRODUCTS(op, c0, c1, c2, c3, b0, b1, row, lane)         \
  #op  " v" #c0 ".4s, v" #b0 ".4h, v" #row ".h[" #lane "]\n"    \
  #op "2 v" #c1 ".4s, v" #b0 ".8h, v" #row ".h[" #lane "]\n"    \
  #op  " v" #c2 ".4s, v" #b1 ".4h, v" #row ".h[" #lane "]\n"    \
  #op "2 v" #c3 ".4s, v" #b1 ".8h, v" #row ".h[" #lane "]\n"
#define ROW(row) "ldr q" #row ", [x" #row ", x8]\n"
#define WEIGHTS(b0, b1, depth) "ldp q" #b0 ", q" #b1 ", [%[weights], #32*" #depth "]\n"
#define STORE(c0, c1, c2, c3, row)                              \
  "stp q" #c0 ", q" #c1 ", [%[sums], #64*" #row "]\n"           \
  "stp q" #c2 ", q" #c3 ", [%[sums], #64*" #row "+32]\n"

// Tile: 4 rows x 16 channels.
//
//                v4-v11, two a depth
//           v0    v16   v17   v18   v19
//   rows    v1    v20   v21   v22   v23      a row's register holds eight depths
//           v2    v24   v25   v26   v27
//           v3    v28   v29   v30   v31
//
// x0-x3 are rows 0 to 3, x8 the offset of the depths to load next, x9 the depths left, x10 the offset of the next
// tile's rows.
//
// One depth.
#define KEEP(row)
#define DEPTH(op, b0, b1, lane, THEN)                           \
  PRODUCTS(op, 16, 17, 18, 19, b0, b1, 0, lane) THEN(0)         \
  PRODUCTS(op, 20, 21, 22, 23, b0, b1, 1, lane) THEN(1)         \
  PRODUCTS(op, 24, 25, 26, 27, b0, b1, 2, lane) THEN(2)         \
  PRODUCTS(op, 28, 29, 30, 31, b0, b1, 3, lane) THEN(3)
// Eight depths; eq after a tile's last ones. Weights are replaced by those of four depths later, rows by the next eight
// depths.
#define EIGHT(op)                                               \
  DEPTH(op, 4, 5, 0, KEEP) WEIGHTS(4, 5, 4)                     \
  DEPTH(smlal, 6, 7, 1, KEEP) WEIGHTS(6, 7, 5)                  \
  DEPTH(smlal, 8, 9, 2, KEEP) WEIGHTS(8, 9, 6)                  \
  DEPTH(smlal, 10, 11, 3, KEEP) WEIGHTS(10, 11, 7)              \
  "subs x9, x9, #8\n"                                           \
  "add x8, x8, #16\n"                                           \
  "add %[weights], %[weights], #32*8\n"                         \
  "csel x8, x8, x10, ne\n"                                      \
  "csel %[weights], %[weights], %[start], ne\n"                 \
  DEPTH(smlal, 4, 5, 4, KEEP) WEIGHTS(4, 5, 0)                  \
  DEPTH(smlal, 6, 7, 5, KEEP) WEIGHTS(6, 7, 1)                  \
  DEPTH(smlal, 8, 9, 6, KEEP) WEIGHTS(8, 9, 2)                  \
  DEPTH(smlal, 10, 11, 7, ROW) WEIGHTS(10, 11, 3)
#define SUMS                                                    \
  "mov x0, %[values]\n"                                         \
  "add x1, x0, %[stride]\n"                                     \
  "add x2, x1, %[stride]\n"                                     \
  "add x3, x2, %[stride]\n"                                     \
  "mov x8, #0\n"                                                \
  "mov x10, #0\n"                                               \
  ROW(0) WEIGHTS(4, 5, 0) ROW(1) WEIGHTS(6, 7, 1)               \
  ROW(2) WEIGHTS(8, 9, 2) ROW(3) WEIGHTS(10, 11, 3)             \
  "1:\n"                                                        \
  "subs %[rows], %[rows], #4\n"                                 \
  "add x10, x10, %[stride], lsl #2\n"                           \
  "csel x10, x10, xzr, ne\n"                                    \
  "mov x9, %[k]\n"                                              \
  EIGHT(smull)                                                  \
  "b.eq 3f\n"                                                   \
  "2:\n"                                                        \
  EIGHT(smlal)                                                  \
  "b.ne 2b\n"                                                   \
  "3:\n"                                                        \
  STORE(16, 17, 18, 19, 0) STORE(20, 21, 22, 23, 1)             \
  STORE(24, 25, 26, 27, 2) STORE(28, 29, 30, 31, 3)             \
  "add %[sums], %[sums], #64*4\n"                               \
  "cbnz %[rows], 1b\n"
// clang-format on

void tvmq_winograd_gemm_s16_4x16__neon(const struct tvmq_winograd_gemm_args *args) {
  const int16_t *weights = args->weights;
  int32_t *sums = args->sums;
  size_t rows = args->n_rows;
  __asm__ volatile(SUMS
                   : [weights] "+&r"(weights), [sums] "+&r"(sums), [rows] "+&r"(rows)
                   : [values] "r"(args->values), [stride] "r"(args->values_stride * sizeof *args->values), [start] "r"(args->weights), [k] "r"(args->k)
                   : "x0", "x1", "x2", "x3", "x8", "x9", "x10", "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v16",
                     "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}
