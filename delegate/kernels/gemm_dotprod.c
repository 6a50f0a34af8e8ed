// int8 gemm by dot products of four (sdot); rows are read where they lie.
//
// The sums of a tile are inline assembly, for three reasons. Not every compiler keeps 16 accumulators and their operands in registers. In-order cores need each
// load well before its use. And the loop reads ahead as C cannot: registers always hold the weights of the depths that come next, from one tap to the next too.
// Behind the last ones lie the multipliers, of the same size, so that the tile ends with these in registers and nothing outside the panel is read.
//
// Both tiles: x0-x7 row pointers, x8 offset of the A that is loaded next, x9 scratch, x10 taps left, x11 depths of a tap in whole sixteens.
#include "requant_neon.h"

#define SDOT(acc, b, a, depth) "sdot v" #acc ".4s, v" #b ".16b, v" #a ".4b[" #depth "]\n"
#define WEIGHTS(b, offset) "ldr q" #b ", [%[weights], #" offset "]\n"
#define ROW(reg, row, offset) "ldr " #reg #row ", [x" #row ", " #offset "]\n"
#define NEXT(row) ROW(q, row, x8)
#define KEEP(row)
#define TERM(row) "ld1r {v" #row ".4s}, [x9], #4\n"
#define START(acc, b, row) "add v" #acc ".4s, v" #b ".4s, v" #row ".4s\n"

// Taps and depths of a tile. Depths go in sixteens; the next A is loaded as soon as the last of the present one is used, and the present one once more after the
// last sixteen. Eight and four depths follow as k has them. DEPTHS computes four; `bytes` is the size of their weights.
#define SUMS(POINTERS, ROWS, FLIPS, DEPTHS, bytes)                                            \
  "and x11, %[k], #-16\n"                                                                     \
  "mov x10, %[taps]\n"                                                                        \
  "1:\n" POINTERS                                                                             \
  "mov x8, #0\n"                                                                              \
  "cbz x11, 3f\n" ROWS(q, x8)                                                                 \
  "2:\n"                                                                                      \
  "add x9, x8, #16\n"                                                                         \
  "cmp x9, x11\n"                                                                             \
  "csel x8, x9, x8, lo\n" FLIPS DEPTHS(0, KEEP) DEPTHS(1, KEEP) DEPTHS(2, KEEP) DEPTHS(3, NEXT) \
  "add %[weights], %[weights], #4*" bytes "\n"                                                \
  "b.lo 2b\n"                                                                                 \
  "3: tbz %[k], #3, 4f\n" ROWS(d, x11) FLIPS DEPTHS(0, KEEP) DEPTHS(1, KEEP)                  \
  "add %[weights], %[weights], #2*" bytes "\n"                                                \
  "4: tbz %[k], #2, 5f\n"                                                                     \
  "sub x9, %[k], #4\n" ROWS(s, x9) FLIPS DEPTHS(0, KEEP)                                      \
  "add %[weights], %[weights], #" bytes "\n"                                                  \
  "5: subs x10, x10, #1\n"                                                                    \
  "b.ne 1b\n"

// ---- 4x16
//
// Tile: 4 rows x 16 channels. Registers:
//
//                  v4    v5    v6    v7     weights, 4 channels x 4 depths each
//           v0    v16   v17   v18   v19
//   rows    v1    v20   v21   v22   v23
//           v2    v24   v25   v26   v27     v8 flip
//           v3    v28   v29   v30   v31
#define POINTERS_4X16      \
  "ldp x0, x1, [%[rows]]\n" \
  "ldp x2, x3, [%[rows], #16]\n" \
  "add %[rows], %[rows], #32\n"
#define ROWS_4X16(reg, offset) ROW(reg, 0, offset) ROW(reg, 1, offset) ROW(reg, 2, offset) ROW(reg, 3, offset)
#define FLIP(row) "eor v" #row ".16b, v" #row ".16b, %[flip].16b\n"
#define COLUMN_4X16(a0, a1, a2, a3, b, depth, THEN) SDOT(a0, b, 0, depth) THEN(0) SDOT(a1, b, 1, depth) THEN(1) SDOT(a2, b, 2, depth) THEN(2) SDOT(a3, b, 3, depth) THEN(3)
#define DEPTHS_4X16(depth, THEN) \
  COLUMN_4X16(16, 20, 24, 28, 4, depth, KEEP) WEIGHTS(4, "64*" #depth "+64") \
  COLUMN_4X16(17, 21, 25, 29, 5, depth, KEEP) WEIGHTS(5, "64*" #depth "+80") \
  COLUMN_4X16(18, 22, 26, 30, 6, depth, KEEP) WEIGHTS(6, "64*" #depth "+96") \
  COLUMN_4X16(19, 23, 27, 31, 7, depth, THEN) WEIGHTS(7, "64*" #depth "+112")
#define START_4X16(a0, a1, a2, a3, b) START(a0, b, 0) START(a1, b, 1) START(a2, b, 2) START(a3, b, 3) 
#define SUMS_4X16(FLIPS) \
  "mov x9, %[terms]\n" TERM(0) TERM(1) TERM(2) TERM(3) \
  WEIGHTS(4, "0") WEIGHTS(5, "16") WEIGHTS(6, "32") WEIGHTS(7, "48") \
  START_4X16(16, 20, 24, 28, 4) WEIGHTS(4, "64") START_4X16(17, 21, 25, 29, 5) WEIGHTS(5, "80") \
  START_4X16(18, 22, 26, 30, 6) WEIGHTS(6, "96") START_4X16(19, 23, 27, 31, 7) WEIGHTS(7, "112") \
  "add %[weights], %[weights], #64\n" \
  SUMS(POINTERS_4X16, ROWS_4X16, FLIPS, DEPTHS_4X16, "64")

// Sums of one tile; advances `rows` to the next tile and returns the multipliers' place.
static inline __attribute__((always_inline)) const int32_t *sums_4x16(const struct tvmq_gemm_args *args, const void *const **rows, const int32_t *terms,
                                                                     int32x4_t acc[4][4], int32x4_t multiplier[4]) {
  register int32x4_t c00 __asm__("v16"), c01 __asm__("v17"), c02 __asm__("v18"), c03 __asm__("v19");
  register int32x4_t c10 __asm__("v20"), c11 __asm__("v21"), c12 __asm__("v22"), c13 __asm__("v23");
  register int32x4_t c20 __asm__("v24"), c21 __asm__("v25"), c22 __asm__("v26"), c23 __asm__("v27");
  register int32x4_t c30 __asm__("v28"), c31 __asm__("v29"), c32 __asm__("v30"), c33 __asm__("v31");
  register int32x4_t m0 __asm__("v4"), m1 __asm__("v5"), m2 __asm__("v6"), m3 __asm__("v7");
  const void *weights = args->panel;
#define ASM(FLIPS)                                                                                                                                         \
  __asm__ volatile(SUMS_4X16(FLIPS)                                                                                                                       \
                   : [rows] "+r"(*rows), [weights] "+r"(weights), "=w"(c00), "=w"(c01), "=w"(c02), "=w"(c03), "=w"(c10), "=w"(c11), "=w"(c12), "=w"(c13), \
                     "=w"(c20), "=w"(c21), "=w"(c22), "=w"(c23), "=w"(c30), "=w"(c31), "=w"(c32), "=w"(c33), "=w"(m0), "=w"(m1), "=w"(m2), "=w"(m3)       \
                   : [k] "r"(args->k), [taps] "r"(args->n_taps), [terms] "r"(terms), [flip] "w"(vdupq_n_u8(args->in_flip))                                \
                   : "x0", "x1", "x2", "x3", "x8", "x9", "x10", "x11", "v0", "v1", "v2", "v3", "cc", "memory")
  if (args->in_flip) {
    ASM(FLIP(0) FLIP(1) FLIP(2) FLIP(3));
  } else {
    ASM("");
  }
#undef ASM
  acc[0][0] = c00, acc[0][1] = c01, acc[0][2] = c02, acc[0][3] = c03;
  acc[1][0] = c10, acc[1][1] = c11, acc[1][2] = c12, acc[1][3] = c13;
  acc[2][0] = c20, acc[2][1] = c21, acc[2][2] = c22, acc[2][3] = c23;
  acc[3][0] = c30, acc[3][1] = c31, acc[3][2] = c32, acc[3][3] = c33;
  multiplier[0] = m0, multiplier[1] = m1, multiplier[2] = m2, multiplier[3] = m3;
  return weights;
}

static inline __attribute__((always_inline)) void store_4x16(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, int32x4_t acc[4][4],
                                                            const int32x4_t multiplier[4], const int32x4_t shift[4], int8_t *out, size_t out_stride) {
  for (int m = 0; m < 4; m++) vst1q_s8(out + (size_t)m * out_stride, tvmq_neon_requantize(path, stage, acc[m], multiplier, shift));
}

void tvmq_gemm_s8_4x16c4__dotprod(const struct tvmq_gemm_args *args) {
  const struct tvmq_neon_stage stage = tvmq_neon_stage(args->stage);
  const void *const *rows = args->rows;
  const int32_t *terms = args->row_terms;
  int8_t *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++, terms += 4, out += 4 * args->out_stride) {
    int32x4_t acc[4][4], multiplier[4], shift[4];
    const int32_t *params = sums_4x16(args, &rows, terms, acc, multiplier);
    for (int n = 0; n < 4; n++) shift[n] = vld1q_s32(params + 16 + 4 * n);
    switch (stage.path) {
      case TVMQ_NEON_INT16:
        store_4x16(TVMQ_NEON_INT16, &stage, acc, multiplier, shift, out, args->out_stride);
        break;
      case TVMQ_NEON_RIGHT:
        store_4x16(TVMQ_NEON_RIGHT, &stage, acc, multiplier, shift, out, args->out_stride);
        break;
      case TVMQ_NEON_DOUBLE:
        store_4x16(TVMQ_NEON_DOUBLE, &stage, acc, multiplier, shift, out, args->out_stride);
        break;
      case TVMQ_NEON_SINGLE:
        store_4x16(TVMQ_NEON_SINGLE, &stage, acc, multiplier, shift, out, args->out_stride);
        break;
    }
  }
}
