// int8 gemm by products of 2x8 with 8x2 matrices (smmla). Kernels read rows in place, through pointers or at a constant
// distance (TVMQ_LINES), or zipped (TVMQ_ZIPPED_ROWS).
//
// An accumulator is a 2x2 matrix: two rows by two channels. An operand holds eight depths of two rows, zipped from two
// loaded rows, or of two channels, as in the panel.
//
// Registers of the assembly: x0-x7 row pointers, x8 offset of the next elements of A to load, x9 scratch, x10 taps
// left, x11 depths of a tap rounded down to a multiple of 16, x12 depths of a tap.
#include "base/inline.h"
#include "kernels/arm64/gemm_neon_tile.h"

// clang-format off
#define SMMLA(acc, a, b) "smmla v" #acc ".4s, v" #a ".16b, v" #b ".16b\n"
#define WEIGHTS(b, offset) "ldr q" #b ", [%[weights], #" #offset "]\n"
#define ROW(reg, a, row, offset) "ldr " #reg #a ", [x" #row ", " #offset "]\n"
#define LOW(to, a, b) "zip1 v" #to ".2d, v" #a ".2d, v" #b ".2d\n"
#define HIGH(to, a, b) "zip2 v" #to ".2d, v" #a ".2d, v" #b ".2d\n"
#define FLIP_MASK(mask) "movi v" #mask ".16b, #0x80\n"
#define FLIP(a, mask) "eor v" #a ".16b, v" #a ".16b, v" #mask ".16b\n"
#define PAIR(acc, n) "ldr q" #acc ", [%[biases], #16*" #n "]\n" // the n-th two channels' biases, for both rows
#define TERMS(half, to, four) "zip" #half " v" #to ".4s, v" #four ".4s, v" #four ".4s\n"

// Computes sixteen depths at a time, then eight if k has them. EIGHT computes eight depths, whose weights have `bytes`
// bytes.
#define SUMS(START, POINTERS, ROWS, FLIPS, SIXTEEN, EIGHT, bytes)               \
  TVMQ_NEON_DEPTHS(START, POINTERS, ROWS(q, x8), "", FLIPS SIXTEEN, "2*" bytes, \
                   TVMQ_NEON_EIGHT_DEPTHS(ROWS(d, x11) FLIPS, EIGHT, bytes))

// ---- 4x16
//
// Tile: 4 rows x 16 channels. v8 to v11 hold the weights of channels 0-7 and then of 8-15; v4 to v7 the rows as loaded.
//
//                         v8    v9   v10   v11    v8    v9   v10   v11
//   rows 0 and 1    v0   v16   v17   v18   v19   v20   v21   v22   v23    depths 0-7; v1 has 8-15
//   rows 2 and 3    v2   v24   v25   v26   v27   v28   v29   v30   v31    depths 0-7; v3 has 8-15     v12 flip
#define ROWS_4X16(reg, offset) ROW(reg, 4, 0, offset) ROW(reg, 5, 1, offset) ROW(reg, 6, 2, offset) ROW(reg, 7, 3, offset)
#define FLIP_4X16 FLIP(4, 12) FLIP(5, 12) FLIP(6, 12) FLIP(7, 12)
#define COLUMN_4X16(a, b, acc0, acc1, w, next) SMMLA(acc0, a, w) SMMLA(acc1, b, w) WEIGHTS(w, next)
#define DEPTHS_4X16(a, b, base)                                                                      \
  COLUMN_4X16(a, b, 16, 24, 8, base + 64) COLUMN_4X16(a, b, 17, 25, 9, base + 80)                    \
  COLUMN_4X16(a, b, 18, 26, 10, base + 96) COLUMN_4X16(a, b, 19, 27, 11, base + 112)                 \
  COLUMN_4X16(a, b, 20, 28, 8, base + 128) COLUMN_4X16(a, b, 21, 29, 9, base + 144)                  \
  COLUMN_4X16(a, b, 22, 30, 10, base + 160) COLUMN_4X16(a, b, 23, 31, 11, base + 176)
#define SIXTEEN_4X16 LOW(0, 4, 5) LOW(2, 6, 7) HIGH(1, 4, 5) HIGH(3, 6, 7) ROWS_4X16(q, x8) DEPTHS_4X16(0, 2, 0) DEPTHS_4X16(1, 3, 128)
#define EIGHT_4X16 LOW(0, 4, 5) LOW(2, 6, 7) DEPTHS_4X16(0, 2, 0)
#define PAIRS_4X16(a, b, c, d, e, f, g, h) PAIR(a, 0) PAIR(b, 1) PAIR(c, 2) PAIR(d, 3) PAIR(e, 4) PAIR(f, 5) PAIR(g, 6) PAIR(h, 7)
#define BIASES_4X16 PAIRS_4X16(16, 17, 18, 19, 20, 21, 22, 23) PAIRS_4X16(24, 25, 26, 27, 28, 29, 30, 31)
#define START_4X16                                                                                \
  WEIGHTS(8, 64) WEIGHTS(9, 80) WEIGHTS(10, 96) WEIGHTS(11, 112)                                  \
  "add %[weights], %[weights], #64\n"                                                             \
  "cbz %[terms], 1f\n"                                                                            \
  "ldr q4, [%[terms]], #16\n" TERMS(1, 1, 4) TERMS(2, 2, 4)                                       \
  TVMQ_NEON_PLUS_4(16, 17, 18, 19, 1) TVMQ_NEON_PLUS_4(20, 21, 22, 23, 1)                         \
  TVMQ_NEON_PLUS_4(24, 25, 26, 27, 2) TVMQ_NEON_PLUS_4(28, 29, 30, 31, 2)                         \
  "1:\n"
#define SUMS_4X16(STATEMENT, POINTERS, args, tile, MASK, FLIPS)                                                           \
  STATEMENT(args, tile, SUMS(START_4X16 MASK, POINTERS, ROWS_4X16, FLIPS, SIXTEEN_4X16, EIGHT_4X16, "128"),               \
            "x0", "x1", "x2", "x3", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12")
#define SUMS_4X16_PLAIN(args, tile) SUMS_4X16(TVMQ_NEON_TILE_SUMS, TVMQ_NEON_TABLE_POINTERS_4, args, tile, "", "")
#define SUMS_4X16_FLIPPED(args, tile) SUMS_4X16(TVMQ_NEON_TILE_SUMS, TVMQ_NEON_TABLE_POINTERS_4, args, tile, FLIP_MASK(12), FLIP_4X16)
#define LINE_SUMS_4X16_PLAIN(args, tile) SUMS_4X16(TVMQ_NEON_LINE_SUMS, TVMQ_NEON_POINTERS_4, args, tile, "", "")
#define LINE_SUMS_4X16_FLIPPED(args, tile) SUMS_4X16(TVMQ_NEON_LINE_SUMS, TVMQ_NEON_POINTERS_4, args, tile, FLIP_MASK(12), FLIP_4X16)

// ---- 8x8
//
// Tile: 8 rows x 8 channels. v0 to v7 hold the rows as loaded; zipping leaves v6 free.
//
//                         v9   v10   v11   v12
//   rows 0 and 1    v8   v16   v17   v18   v19    depths 0-7; v1 has 8-15
//   rows 2 and 3    v0   v20   v21   v22   v23    depths 0-7; v3 has 8-15
//   rows 4 and 5    v2   v24   v25   v26   v27    depths 0-7; v5 has 8-15
//   rows 6 and 7    v4   v28   v29   v30   v31    depths 0-7; v7 has 8-15     v13 flip
#define EVEN_ROWS_8X8(reg, offset) ROW(reg, 0, 0, offset) ROW(reg, 2, 2, offset) ROW(reg, 4, 4, offset) ROW(reg, 6, 6, offset)
#define ODD_ROWS_8X8(reg, offset) ROW(reg, 1, 1, offset) ROW(reg, 3, 3, offset) ROW(reg, 5, 5, offset) ROW(reg, 7, 7, offset)
#define ROWS_8X8(reg, offset) EVEN_ROWS_8X8(reg, offset) ODD_ROWS_8X8(reg, offset)
#define FLIP_8X8 FLIP(0, 13) FLIP(1, 13) FLIP(2, 13) FLIP(3, 13) FLIP(4, 13) FLIP(5, 13) FLIP(6, 13) FLIP(7, 13)
#define COLUMN_8X8(a, b, c, d, acc0, acc1, acc2, acc3, w, next) SMMLA(acc0, a, w) SMMLA(acc1, b, w) SMMLA(acc2, c, w) SMMLA(acc3, d, w) WEIGHTS(w, next)
#define DEPTHS_8X8(a, b, c, d, base)                                                                                    \
  COLUMN_8X8(a, b, c, d, 16, 20, 24, 28, 9, base + 64) COLUMN_8X8(a, b, c, d, 17, 21, 25, 29, 10, base + 80)            \
  COLUMN_8X8(a, b, c, d, 18, 22, 26, 30, 11, base + 96) COLUMN_8X8(a, b, c, d, 19, 23, 27, 31, 12, base + 112)
#define ZIP_8X8 LOW(8, 0, 1) HIGH(1, 0, 1) LOW(0, 2, 3) HIGH(3, 2, 3) LOW(2, 4, 5) HIGH(5, 4, 5) LOW(4, 6, 7) HIGH(7, 6, 7)
#define SIXTEEN_8X8 ZIP_8X8 DEPTHS_8X8(8, 0, 2, 4, 0) EVEN_ROWS_8X8(q, x8) DEPTHS_8X8(1, 3, 5, 7, 64) ODD_ROWS_8X8(q, x8)
#define EIGHT_8X8 LOW(8, 0, 1) LOW(0, 2, 3) LOW(2, 4, 5) LOW(4, 6, 7) DEPTHS_8X8(8, 0, 2, 4, 0)
#define PAIRS_8X8(a, b, c, d) PAIR(a, 0) PAIR(b, 1) PAIR(c, 2) PAIR(d, 3)
#define BIASES_8X8 TVMQ_NEON_BIASES(PAIRS_8X8)
#define START_8X8                                                           \
  WEIGHTS(9, 32) WEIGHTS(10, 48) WEIGHTS(11, 64) WEIGHTS(12, 80)            \
  "add %[weights], %[weights], #32\n"                                       \
  "cbz %[terms], 1f\n"                                                      \
  "ldp q4, q5, [%[terms]], #32\n"                                           \
  TERMS(1, 0, 4) TERMS(2, 1, 4) TERMS(1, 2, 5) TERMS(2, 3, 5)               \
  TVMQ_NEON_PLUS_4(16, 17, 18, 19, 0) TVMQ_NEON_PLUS_4(20, 21, 22, 23, 1)   \
  TVMQ_NEON_PLUS_4(24, 25, 26, 27, 2) TVMQ_NEON_PLUS_4(28, 29, 30, 31, 3)   \
  "1:\n"
#define SUMS_8X8(STATEMENT, POINTERS, args, tile, MASK, FLIPS)                                                            \
  STATEMENT(args, tile, SUMS(START_8X8 MASK, POINTERS, ROWS_8X8, FLIPS, SIXTEEN_8X8, EIGHT_8X8, "64"),                    \
            "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7",                                                               \
            "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13")
#define SUMS_8X8_PLAIN(args, tile) SUMS_8X8(TVMQ_NEON_TILE_SUMS, TVMQ_NEON_TABLE_POINTERS_8, args, tile, "", "")
#define SUMS_8X8_FLIPPED(args, tile) SUMS_8X8(TVMQ_NEON_TILE_SUMS, TVMQ_NEON_TABLE_POINTERS_8, args, tile, FLIP_MASK(13), FLIP_8X8)
#define LINE_SUMS_8X8_PLAIN(args, tile) SUMS_8X8(TVMQ_NEON_LINE_SUMS, TVMQ_NEON_POINTERS_8, args, tile, "", "")
#define LINE_SUMS_8X8_FLIPPED(args, tile) SUMS_8X8(TVMQ_NEON_LINE_SUMS, TVMQ_NEON_POINTERS_8, args, tile, FLIP_MASK(13), FLIP_8X8)

// ---- 8x8 zipped
//
// The same tile with zipped rows. Taps follow one another, so a single loop covers the depths of all taps: x0 points to
// the next depths, x10 has their number, x11 the number of sixteens left.
//                         v9   v10   v11   v12
//   rows 0 and 1    v0   v16   v17   v18   v19    depths 0-7; v4 has 8-15
//   rows 2 and 3    v1   v20   v21   v22   v23    depths 0-7; v5 has 8-15
//   rows 4 and 5    v2   v24   v25   v26   v27    depths 0-7; v6 has 8-15
//   rows 6 and 7    v3   v28   v29   v30   v31    depths 0-7; v7 has 8-15
#define LOAD_ZIPPED(a, b, c, d, offset) "ldp q" #a ", q" #b ", [x0, #" #offset "]\nldp q" #c ", q" #d ", [x0, #" #offset "+32]\n"
#define SUMS_8X8_ZIPPED(args, tile)                                                         \
  TVMQ_NEON_TILE_SUMS(args, tile, START_8X8                                                 \
                 "ldr x0, [%[rows]]\n"                                                      \
                 "ldr x10, [%[args], %[n_taps]]\n"                                          \
                 "add %[rows], %[rows], x10, lsl #6\n"                                      \
                 "mul x10, x10, x12\n"                                                      \
                 "lsr x11, x10, #4\n"                                                       \
                 "cbz x11, 2f\n"                                                            \
                 "1:\n"                                                                     \
                 LOAD_ZIPPED(0, 1, 2, 3, 0) DEPTHS_8X8(0, 1, 2, 3, 0)                       \
                 LOAD_ZIPPED(4, 5, 6, 7, 64) DEPTHS_8X8(4, 5, 6, 7, 64)                     \
                 "add %[weights], %[weights], #128\n"                                       \
                 "add x0, x0, #128\n"                                                       \
                 "subs x11, x11, #1\n"                                                      \
                 "b.ne 1b\n"                                                                \
                 "2: tbz x10, #3, 3f\n"                                                     \
                 LOAD_ZIPPED(0, 1, 2, 3, 0) DEPTHS_8X8(0, 1, 2, 3, 0)                       \
                 "add %[weights], %[weights], #64\n"                                        \
                 "3:\n",                                                                    \
                 "x0", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v9", "v10", "v11", "v12", "v13")
// clang-format on

// Separates pairs of channels: in 2 x 16 bytes, pairs of the two rows alternate. Even pairs belong to the first row,
// odd pairs to the second.
static inline int8x16_t even_pairs(int8x16_t a, int8x16_t b) { return vreinterpretq_s8_s16(vuzp1q_s16(vreinterpretq_s16_s8(a), vreinterpretq_s16_s8(b))); }
static inline int8x16_t odd_pairs(int8x16_t a, int8x16_t b) { return vreinterpretq_s8_s16(vuzp2q_s16(vreinterpretq_s16_s8(a), vreinterpretq_s16_s8(b))); }

// Duplicates the parameters of two channels for both rows, as accumulators hold them. Biases, multipliers and shifts of
// a panel are arranged once for all tiles: in each tile this would take as many instructions as two rows of output.
static inline int32x4_t pair(const int32_t *p) { return vreinterpretq_s32_s64(vld1q_dup_s64((const int64_t *)p)); }
#define PAIRS_OF_8(p) pair(p), pair((p) + 2), pair((p) + 4), pair((p) + 6)
#define PAIRS_OF_16(p) PAIRS_OF_8(p), PAIRS_OF_8((p) + 8)
#define PAIRS(nr)                                                                                             \
  ((const int32x4_t[]){PAIRS_OF_##nr((const int32_t *)a.panel), PAIRS_OF_##nr(tvmq_neon_multipliers(&a, nr)), \
                       PAIRS_OF_##nr(tvmq_neon_multipliers(&a, nr) + nr)})

// Stores the accumulators: four of two rows, from the start of each row on.
TVMQ_INLINE void store_sums(const int32x4_t *acc, int8_t *out, size_t out_stride) {
  UNROLL for (size_t v = 0; v < 4; v += 2) {
    const int64x2_t left = vreinterpretq_s64_s32(acc[v]), right = vreinterpretq_s64_s32(acc[v + 1]);
    vst1q_s32((int32_t *)out + 2 * v, vreinterpretq_s32_s64(vzip1q_s64(left, right)));
    vst1q_s32((int32_t *)(out + out_stride) + 2 * v, vreinterpretq_s32_s64(vzip2q_s64(left, right)));
  }
}

TVMQ_INLINE void store_4x16(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const int32x4_t *pairs, const int32x4_t *acc, int8_t *out,
                            size_t out_stride) {
  if (path == TVMQ_NEON_SUMS) {
    UNROLL for (size_t i = 0; i < 4; i++) store_sums(acc + 4 * i, out + i / 2 * 2 * out_stride + i % 2 * 32, out_stride);
    return;
  }
  const int8x16_t low0 = tvmq_neon_requantize(path, stage, acc, pairs + 8, pairs + 16);
  const int8x16_t low2 = tvmq_neon_requantize(path, stage, acc + 8, pairs + 8, pairs + 16);
  const int8x16_t high0 = tvmq_neon_requantize(path, stage, acc + 4, pairs + 12, pairs + 20);
  const int8x16_t high2 = tvmq_neon_requantize(path, stage, acc + 12, pairs + 12, pairs + 20);
  vst1q_s8(out, even_pairs(low0, high0));
  vst1q_s8(out + out_stride, odd_pairs(low0, high0));
  vst1q_s8(out + 2 * out_stride, even_pairs(low2, high2));
  vst1q_s8(out + 3 * out_stride, odd_pairs(low2, high2));
}

TVMQ_INLINE void store_4x8(int8x16_t first, int8x16_t second, int8_t *out, size_t out_stride) {
  const int8x16_t even = even_pairs(first, second), odd = odd_pairs(first, second);
  vst1_s8(out, vget_low_s8(even));
  vst1_s8(out + out_stride, vget_low_s8(odd));
  vst1_s8(out + 2 * out_stride, vget_high_s8(even));
  vst1_s8(out + 3 * out_stride, vget_high_s8(odd));
}

TVMQ_INLINE void store_8x8(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const int32x4_t *pairs, const int32x4_t *acc, int8_t *out,
                           size_t out_stride) {
  if (path == TVMQ_NEON_SUMS) {
    UNROLL for (size_t i = 0; i < 4; i++) store_sums(acc + 4 * i, out + 2 * i * out_stride, out_stride);
    return;
  }
  int8x16_t two_rows[4];
  UNROLL for (size_t i = 0; i < 4; i++) two_rows[i] = tvmq_neon_requantize(path, stage, acc + 4 * i, pairs + 4, pairs + 8);
  store_4x8(two_rows[0], two_rows[1], out, out_stride);
  store_4x8(two_rows[2], two_rows[3], out + 4 * out_stride, out_stride);
}

#define PAIRED_4X16_ROWS 4
#define PAIRED_4X16_CHANNELS 16
#define PAIRED_4X16_BIASES BIASES_4X16
#define PAIRED_4X16_FIRST(args) PAIRS(16)
#define PAIRED_4X16_PARAMS(first, tile) first
#define PAIRED_4X16_STORE store_4x16
#define PAIRED_4X16_FUSED(path, NARROW, params, tile, args) TVMQ_NEON_STORE(path, store_4x16, (args)->stage, params, (tile).out, (args)->out_stride)
#define PAIRED_8X8_ROWS 8
#define PAIRED_8X8_CHANNELS 8
#define PAIRED_8X8_BIASES BIASES_8X8
#define PAIRED_8X8_FIRST(args) PAIRS(8)
#define PAIRED_8X8_PARAMS(first, tile) first
#define PAIRED_8X8_STORE store_8x8
#define PAIRED_8X8_FUSED(path, NARROW, params, tile, args) TVMQ_NEON_STORE(path, store_8x8, (args)->stage, params, (tile).out, (args)->out_stride)

TVMQ_NEON_GEMM(tvmq_gemm_s8_4x16c8__i8mm, PAIRED_4X16, SUMS_4X16_PLAIN, SUMS_4X16_FLIPPED)
TVMQ_NEON_GEMM(tvmq_gemm_s8_8x8c8__i8mm, PAIRED_8X8, SUMS_8X8_PLAIN, SUMS_8X8_FLIPPED)
TVMQ_NEON_PLAIN_GEMM(tvmq_gemm_s8_8x8c8z__i8mm, PAIRED_8X8, SUMS_8X8_ZIPPED(args, tile))
TVMQ_NEON_LINES(tvmq_gemm_s8_4x16c8l__i8mm, PAIRED_4X16, LINE_SUMS_4X16_PLAIN, LINE_SUMS_4X16_FLIPPED)
TVMQ_NEON_LINES(tvmq_gemm_s8_8x8c8l__i8mm, PAIRED_8X8, LINE_SUMS_8X8_PLAIN, LINE_SUMS_8X8_FLIPPED)
