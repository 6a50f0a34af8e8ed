// GEMM of 16x8 for Armv8.0 by multiplication with a lane of int16 (smlal by element): 8 rows x 8 channels.
//
// Reads: each row eight depths at a time, the last four of a tap separately. Weights are loaded four depths ahead,
// across taps, and at the end the multipliers and shifts. The next depths of a row are loaded after the last use of the
// present ones; after the last eight, the present ones are loaded again.
// Hazards: an int16 times an int8 is at most 2^22, so MOST_DEPTHS products fit int32 together with a row term (gemm.h).
// For an int64 bias, sums are moved to int64 after every MOST_DEPTHS depths.
//
// Further registers of the assembly, after those of gemm_lane_neon.h: v8-v11 weights of four depths, x9 depths left in
// the tap, x10 taps left, x11 offset of the depths after the loaded ones, x12 depths of a tap.
#include "kernels/arm64/gemm_lane_neon.h"

enum { ROWS = 8, CHANNELS = 8, MOST_DEPTHS = 508 };

// clang-format off
// One depth; then its weights are replaced by those of four depths later.
#define KEEP(row)
#define NEXT(row) ROW(q, row)
#define DEPTH(b, lane, later, THEN)                                                                              \
  PRODUCTS(16, 17, 0, b, lane) THEN(0) PRODUCTS(18, 19, 1, b, lane) THEN(1) PRODUCTS(20, 21, 2, b, lane) THEN(2) \
  PRODUCTS(22, 23, 3, b, lane) THEN(3) PRODUCTS(24, 25, 4, b, lane) THEN(4) PRODUCTS(26, 27, 5, b, lane) THEN(5) \
  PRODUCTS(28, 29, 6, b, lane) THEN(6) PRODUCTS(30, 31, 7, b, lane) WEIGHTS(b, later) THEN(7)
#define ALL_ROWS(reg) ROW(reg, 0) ROW(reg, 1) ROW(reg, 2) ROW(reg, 3) ROW(reg, 4) ROW(reg, 5) ROW(reg, 6) ROW(reg, 7)
#define FOUR DEPTH(8, 0, 64, KEEP) DEPTH(9, 1, 80, KEEP) DEPTH(10, 2, 96, KEEP) DEPTH(11, 3, 112, KEEP)
#define EIGHT FOUR DEPTH(8, 4, 128, KEEP) DEPTH(9, 5, 144, KEEP) DEPTH(10, 6, 160, KEEP) DEPTH(11, 7, 176, NEXT)

// The accumulators begin with the row terms only.
#define ZERO(acc) "movi v" #acc ".4s, #0\n"
#define ZEROS                                                             \
  ZERO(16) ZERO(17) ZERO(18) ZERO(19) ZERO(20) ZERO(21) ZERO(22) ZERO(23) \
  ZERO(24) ZERO(25) ZERO(26) ZERO(27) ZERO(28) ZERO(29) ZERO(30) ZERO(31)

#define SUMS(START_TILE)                                                   \
  START_TILE                                                               \
  "ldr x10, [%[args], %[n_taps]]\n"                                        \
  WEIGHTS(8, 0) WEIGHTS(9, 16) WEIGHTS(10, 32) WEIGHTS(11, 48)             \
  "1:\n"                                                                   \
  TVMQ_NEON_TABLE_POINTERS_8                                               \
  "mov x8, #0\n"                                                           \
  "mov x11, #0\n"                                                          \
  "subs x9, x12, #8\n"                                                     \
  "b.lo 3f\n"                                                              \
  ALL_ROWS(q)                                                              \
  "2:\n"                                                                   \
  "add x11, x8, #16\n"                                                     \
  "subs x9, x9, #8\n"                                                      \
  "csel x8, x11, x8, hs\n"                                                 \
  EIGHT                                                                    \
  "add %[weights], %[weights], #128\n"                                     \
  "b.hs 2b\n"                                                              \
  "3: tbz x9, #2, 4f\n"                                                    \
  "mov x8, x11\n"                                                          \
  ALL_ROWS(d)                                                              \
  FOUR                                                                     \
  "add %[weights], %[weights], #64\n"                                      \
  "4: subs x10, x10, #1\n"                                                 \
  "b.ne 1b\n"
// clang-format on

// ---- int32 bias

TVMQ_INLINE void store_s32(enum tvmq_neon_path path, const struct tvmq_neon_stage *vectors, const int32_t *params, const int32x4_t *acc, int8_t *out,
                           size_t out_stride, const struct tvmq_stage *stage) {
  const int32x4_t multiplier[2] = {vld1q_s32(params), vld1q_s32(params + 4)}, shift[2] = {vld1q_s32(params + 8), vld1q_s32(params + 12)};
  const int16x8_t min = vdupq_n_s16((int16_t)stage->min), max = vdupq_n_s16((int16_t)stage->max);
  int16x8_t value[ROWS];
  UNROLL for (int m = 0; m < ROWS; m++) {
    const int32x4_t x0 = tvmq_neon_rescale(path, vectors, acc[2 * m], multiplier[0], shift[0]);
    const int32x4_t x1 = tvmq_neon_rescale(path, vectors, acc[2 * m + 1], multiplier[1], shift[1]);
    value[m] = vminq_s16(vmaxq_s16(tvmq_neon_narrow(TVMQ_NEON_DOUBLE, vectors, x0, x1), min), max);
  }
  UNROLL for (size_t m = 0; m < ROWS; m++) vst1q_s16((int16_t *)(out + m * out_stride), value[m]);
}

void tvmq_gemm_s16_8x8__neon(const struct tvmq_gemm_args *args) {
  const struct tvmq_gemm_args a = *args;
  const struct tvmq_stage *const stage = a.stage;
  struct tvmq_neon_tile tile = tvmq_neon_first_tile(&a);
  for (size_t left = a.row_tiles; left > 0; left--, tile.out += ROWS * a.out_stride) {
    TVMQ_NEON_ACCUMULATORS;
    TVMQ_NEON_BEGIN(a.panel, TVMQ_NEON_BIASES_8X8);
    tile.weights = a.panel;
    LANE_SUMS(args, tile, SUMS(START));
    if (stage->rounding == TVMQ_ROUNDING_REFERENCE && stage->right_shifts)
      TVMQ_NEON_STORE(TVMQ_NEON_CLAMPED, store_s32, stage, tile.weights, tile.out, a.out_stride, stage);
    else if (stage->rounding != TVMQ_ROUNDING_SINGLE)
      TVMQ_NEON_STORE(TVMQ_NEON_DOUBLE, store_s32, stage, tile.weights, tile.out, a.out_stride, stage);
    else
      TVMQ_NEON_STORE(TVMQ_NEON_SINGLE, store_s32, stage, tile.weights, tile.out, a.out_stride, stage);
  }
}

// ---- int64 bias

TVMQ_INLINE void store_s64(const struct tvmq_stage *stage, const struct tvmq_neon_sums *sums, const int32_t *params, const int32x4_t *acc, void *out,
                           size_t out_stride) {
  const struct tvmq_neon_stage_s64 s64 = tvmq_neon_stage_s64(stage);
  const struct tvmq_neon_scale_s64 scale[2] = {tvmq_neon_scale_s64(params, params + 8), tvmq_neon_scale_s64(params + 4, params + 12)};
  // Two rows at a time, so that in-order cores have independent work.
  UNROLL for (size_t pair = 0; pair < ROWS; pair += 2) {
    int16x8_t value[2];
    UNROLL for (size_t i = 0, m = pair; i < 2; i++, m++) { value[i] = tvmq_neon_requantize_sums(&s64, scale, sums->from + m * sums->step, acc + 2 * m); }
    UNROLL for (size_t i = 0; i < 2; i++) vst1q_s16((int16_t *)((char *)out + (pair + i) * out_stride), value[i]);
  }
}

TVMQ_INLINE void store_float64(const struct tvmq_stage *stage, const struct tvmq_neon_sums *sums, const int32_t *params, const int32x4_t *acc, void *out,
                               size_t out_stride) {
  UNROLL for (size_t m = 0; m < ROWS; m++) {
    const int16x8_t value = tvmq_neon_scale_sums_float64(stage, params, params + 8, sums->from + m * sums->step, acc + 2 * m);
    vst1q_s16((int16_t *)((char *)out + m * out_stride), value);
  }
}

// Computes one tile.
static void gemm_s64(const struct tvmq_gemm_args *args, const void *const *rows, const int32_t *terms, void *out) {
  static const int32_t zeros[ROWS];
  const int64_t *const bias = args->panel;
  struct tvmq_neon_sums sums;
  sums.from = bias;
  sums.step = 0;
  struct tvmq_neon_tile tile = {.terms = terms, .weights = bias + CHANNELS};
  // A sum covers as many taps as fit int32, or a part of one tap.
  const size_t n_taps = args->k < MOST_DEPTHS ? MOST_DEPTHS / args->k : 1;
  for (size_t t = 0, k = 0;;) {
    const void *shifted[ROWS];
    if (k > 0) {
      for (size_t m = 0; m < ROWS; m++) shifted[m] = (const int16_t *)rows[t * ROWS + m] + k;
    }
    tile.rows = k > 0 ? shifted : rows + t * ROWS;
    const struct tvmq_gemm_args part = {.n_taps = tvmq_min(n_taps, args->n_taps - t), .k = tvmq_min(MOST_DEPTHS, args->k - k)};
    TVMQ_NEON_ACCUMULATORS;
    TVMQ_NEON_BEGIN(tile.weights, ZEROS);
    LANE_SUMS(&part, tile, SUMS(TVMQ_NEON_TERMS_8X8));
    const int32x4_t acc[2 * ROWS] = TVMQ_NEON_ARRAY;
    k += part.k;
    if (k == args->k) {
      k = 0;
      t += part.n_taps;
    }
    if (t == args->n_taps) {
      if (args->stage->in_float64)
        store_float64(args->stage, &sums, tile.weights, acc, out, args->out_stride);
      else
        store_s64(args->stage, &sums, tile.weights, acc, out, args->out_stride);
      return;
    }
    tvmq_neon_move_sums(&sums, ROWS, acc);
    tile.terms = zeros;
  }
}

void tvmq_gemm_s16_8x8a64__neon(const struct tvmq_gemm_args *args) {
  const void *const *rows = args->rows;
  const int32_t *terms = args->row_terms;
  char *out = args->out;
  for (size_t left = args->row_tiles; left > 0; left--, rows += args->n_taps * ROWS, terms += ROWS, out += ROWS * args->out_stride) {
    gemm_s64(args, rows, terms, out);
  }
}
