// int8 gemm by dot products of four (sdot). Kernels read rows in place, through pointers or at a constant distance
// (TVMQ_LINES).
//
// Registers of the assembly: x0-x7 row pointers, x8 offset of the next elements of A to load, x9 scratch, x10 taps
// left, x11 depths of a tap rounded down to a multiple of 16, x12 depths of a tap.
#include "base/inline.h"
#include "kernels/arm64/gemm_neon_tile.h"

// clang-format off
#define SDOT(acc, b, a, depth) "sdot v" #acc ".4s, v" #b ".16b, v" #a ".4b[" #depth "]\n"
#define WEIGHTS(b, offset) "ldr q" #b ", [%[weights], #" offset "]\n"
#define ROW(reg, row, offset) "ldr " #reg #row ", [x" #row ", " #offset "]\n"
#define NEXT(row) ROW(q, row, x8)
#define KEEP(row)
#define FLIP_MASK "movi v10.16b, #0x80\n"
#define FLIP(row) "eor v" #row ".16b, v" #row ".16b, v10.16b\n"

// Computes sixteen depths at a time, then eight and four if k has them. DEPTHS computes four depths, whose weights have
// `bytes` bytes.
#define SUMS(START, POINTERS, ROWS, FLIPS, DEPTHS, bytes)                                                \
  TVMQ_NEON_DEPTHS(START, POINTERS, ROWS(q, x8), "",                                                     \
                   FLIPS DEPTHS(0, KEEP) DEPTHS(1, KEEP) DEPTHS(2, KEEP) DEPTHS(3, NEXT), "4*" bytes,    \
                   "tst x12, #12\n"                                                                      \
                   "b.eq 5f\n"                                                                           \
                   TVMQ_NEON_EIGHT_DEPTHS(ROWS(d, x11) FLIPS, DEPTHS(0, KEEP) DEPTHS(1, KEEP), "2*" bytes) \
                   TVMQ_NEON_FOUR_DEPTHS("sub x9, x12, #4\n" ROWS(s, x9) FLIPS, DEPTHS(0, KEEP), bytes))

// ---- 4x16
//
// Tile: 4 rows x 16 channels.
//
//                  v4    v5    v6    v7     weights, 4 channels x 4 depths each
//           v0    v16   v17   v18   v19
//   rows    v1    v20   v21   v22   v23
//           v2    v24   v25   v26   v27
//           v3    v28   v29   v30   v31
#define ROWS_4X16(reg, offset) ROW(reg, 0, offset) ROW(reg, 1, offset) ROW(reg, 2, offset) ROW(reg, 3, offset)
#define FLIP_4X16 FLIP(0) FLIP(1) FLIP(2) FLIP(3)
#define COLUMN_4X16(a0, a1, a2, a3, b, depth, THEN) \
  SDOT(a0, b, 0, depth) THEN(0) SDOT(a1, b, 1, depth) THEN(1) SDOT(a2, b, 2, depth) THEN(2) SDOT(a3, b, 3, depth) THEN(3)
#define DEPTHS_4X16(depth, THEN)                                             \
  COLUMN_4X16(16, 20, 24, 28, 4, depth, KEEP) WEIGHTS(4, "64*" #depth "+64") \
  COLUMN_4X16(17, 21, 25, 29, 5, depth, KEEP) WEIGHTS(5, "64*" #depth "+80") \
  COLUMN_4X16(18, 22, 26, 30, 6, depth, KEEP) WEIGHTS(6, "64*" #depth "+96") \
  COLUMN_4X16(19, 23, 27, 31, 7, depth, THEN) WEIGHTS(7, "64*" #depth "+112")
#define START_4X16                                                                  \
  WEIGHTS(4, "64") WEIGHTS(5, "80") WEIGHTS(6, "96") WEIGHTS(7, "112")              \
  "add %[weights], %[weights], #64\n"                                               \
  TVMQ_NEON_TERMS_4X16
#define SUMS_4X16(STATEMENT, POINTERS, args, tile, MASK, FLIPS)                                    \
  STATEMENT(args, tile, SUMS(MASK START_4X16, POINTERS, ROWS_4X16, FLIPS, DEPTHS_4X16, "64"),      \
            "x0", "x1", "x2", "x3", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v10")
#define SUMS_4X16_PLAIN(args, tile) SUMS_4X16(TVMQ_NEON_TILE_SUMS, TVMQ_NEON_TABLE_POINTERS_4, args, tile, "", "")
#define SUMS_4X16_FLIPPED(args, tile) SUMS_4X16(TVMQ_NEON_TILE_SUMS, TVMQ_NEON_TABLE_POINTERS_4, args, tile, FLIP_MASK, FLIP_4X16)
#define LINE_SUMS_4X16_PLAIN(args, tile) SUMS_4X16(TVMQ_NEON_LINE_SUMS, TVMQ_NEON_POINTERS_4, args, tile, "", "")
#define LINE_SUMS_4X16_FLIPPED(args, tile) SUMS_4X16(TVMQ_NEON_LINE_SUMS, TVMQ_NEON_POINTERS_4, args, tile, FLIP_MASK, FLIP_4X16)

// ---- 8x8
//
// Tile: 8 rows x 8 channels, for outputs with few channels beyond a multiple of 16.
//
//                  v8    v9     weights, 4 channels x 4 depths each
//           v0    v16   v17
//   rows    ...   ...   ...
//           v7    v30   v31
#define ROWS_8X8(reg, offset)                                                      \
  ROW(reg, 0, offset) ROW(reg, 1, offset) ROW(reg, 2, offset) ROW(reg, 3, offset)  \
  ROW(reg, 4, offset) ROW(reg, 5, offset) ROW(reg, 6, offset) ROW(reg, 7, offset)
#define FLIP_8X8 FLIP(0) FLIP(1) FLIP(2) FLIP(3) FLIP(4) FLIP(5) FLIP(6) FLIP(7)
#define COLUMN_8X8(a0, a1, a2, a3, a4, a5, a6, a7, b, depth, THEN)                                                          \
  SDOT(a0, b, 0, depth) THEN(0) SDOT(a1, b, 1, depth) THEN(1) SDOT(a2, b, 2, depth) THEN(2) SDOT(a3, b, 3, depth) THEN(3)   \
  SDOT(a4, b, 4, depth) THEN(4) SDOT(a5, b, 5, depth) THEN(5) SDOT(a6, b, 6, depth) THEN(6) SDOT(a7, b, 7, depth) THEN(7)
#define DEPTHS_8X8(depth, THEN)                                                              \
  COLUMN_8X8(16, 18, 20, 22, 24, 26, 28, 30, 8, depth, KEEP) WEIGHTS(8, "32*" #depth "+32")  \
  COLUMN_8X8(17, 19, 21, 23, 25, 27, 29, 31, 9, depth, THEN) WEIGHTS(9, "32*" #depth "+48")
#define START_8X8                     \
  WEIGHTS(8, "32") WEIGHTS(9, "48")   \
  "add %[weights], %[weights], #32\n" \
  TVMQ_NEON_TERMS_8X8
#define SUMS_8X8(STATEMENT, POINTERS, args, tile, MASK, FLIPS)                                     \
  STATEMENT(args, tile, SUMS(MASK START_8X8, POINTERS, ROWS_8X8, FLIPS, DEPTHS_8X8, "32"),         \
            "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10")
#define SUMS_8X8_PLAIN(args, tile) SUMS_8X8(TVMQ_NEON_TILE_SUMS, TVMQ_NEON_TABLE_POINTERS_8, args, tile, "", "")
#define SUMS_8X8_FLIPPED(args, tile) SUMS_8X8(TVMQ_NEON_TILE_SUMS, TVMQ_NEON_TABLE_POINTERS_8, args, tile, FLIP_MASK, FLIP_8X8)
#define LINE_SUMS_8X8_PLAIN(args, tile) SUMS_8X8(TVMQ_NEON_LINE_SUMS, TVMQ_NEON_POINTERS_8, args, tile, "", "")
#define LINE_SUMS_8X8_FLIPPED(args, tile) SUMS_8X8(TVMQ_NEON_LINE_SUMS, TVMQ_NEON_POINTERS_8, args, tile, FLIP_MASK, FLIP_8X8)
// clang-format on

TVMQ_NEON_GEMM(tvmq_gemm_s8_4x16c4__dotprod, TVMQ_NEON_4X16, SUMS_4X16_PLAIN, SUMS_4X16_FLIPPED)
TVMQ_NEON_GEMM(tvmq_gemm_s8_8x8c4__dotprod, TVMQ_NEON_8X8, SUMS_8X8_PLAIN, SUMS_8X8_FLIPPED)
TVMQ_NEON_LINES(tvmq_gemm_s8_4x16c4l__dotprod, TVMQ_NEON_4X16, LINE_SUMS_4X16_PLAIN, LINE_SUMS_4X16_FLIPPED)
TVMQ_NEON_LINES(tvmq_gemm_s8_8x8c4l__dotprod, TVMQ_NEON_8X8, LINE_SUMS_8X8_PLAIN, LINE_SUMS_8X8_FLIPPED)
