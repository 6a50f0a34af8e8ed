// Product of two quantized tensors, or square of their difference, on any Arm processor. Differences are int16.
#include "kernels/arm64/elements_neon.h"
#include "kernels/arm64/stage_neon.h"

#define ISA neon

typedef enum tvmq_neon_path stage_path;

enum { BLOCK_BYTES = 32, VECTORS = BLOCK_BYTES / 16 };

struct factors {
  struct tvmq_neon_stage stage, in_stage;
  bool half, single;  // differences: the second tensor is rescaled by a half; rounding is single
  int8x16_t in_zero_point[2];
  int16x8_t min_s16, max_s16;
  int32x4_t in_multiplier[2], in_shift[2], multiplier, shift;
};

TVMQ_INLINE struct factors factors_of(const struct tvmq_mul_args *args, stage_path path) {
  struct factors f = {
      .stage = tvmq_neon_stage(path, &args->stage),
      .in_stage = {.ties = vdupq_n_s32(args->rounding == TVMQ_ROUNDING_REFERENCE ? -1 : 0)},
      .half = tvmq_is_half(args->in_scale[1]),
      .single = args->rounding == TVMQ_ROUNDING_SINGLE,
      .min_s16 = vdupq_n_s16((int16_t)args->stage.min),
      .max_s16 = vdupq_n_s16((int16_t)args->stage.max),
      .multiplier = vdupq_n_s32(args->multiplier),
      .shift = vdupq_n_s32(args->shift),
  };
  for (int i = 0; i < 2; i++) {
    f.in_zero_point[i] = vdupq_n_s8((int8_t)args->in_zero_point[i]);
    f.in_multiplier[i] = vdupq_n_s32(args->in_scale[i].multiplier);
    f.in_shift[i] = vdupq_n_s32(args->in_scale[i].shift);
  }
  return f;
}

// The converted second tensor: bytes as int16; differences: at the common scale; int16: unchanged, in the first half.
struct raised {
  int16x8_t values[2 * VECTORS];
};

// Widens sixteen bytes, and subtracts the zero point.
TVMQ_INLINE void raise_bytes(const struct factors *f, int i, const uint8_t *in, int16x8_t x[2]) {
  const int8x16_t bytes = veorq_s8(vreinterpretq_s8_u8(vld1q_u8(in)), f->stage.flip);
  x[0] = vsubl_s8(vget_low_s8(bytes), vget_low_s8(f->in_zero_point[i]));
  x[1] = vsubl_high_s8(bytes, f->in_zero_point[i]);
}

TVMQ_INLINE void raise_s8(const struct factors *f, const uint8_t *in, struct raised *raised) {
  UNROLL for (int v = 0; v < VECTORS; v++) raise_bytes(f, 1, in + 16 * v, raised->values + 2 * v);
}

TVMQ_INLINE void raise_s16(const struct factors *f, const uint8_t *in, struct raised *raised) {
  (void)f;
  UNROLL for (int v = 0; v < VECTORS; v++) raised->values[v] = vreinterpretq_s16_u8(vld1q_u8(in + 16 * v));
}

// Requantizes products, and stores bytes.
TVMQ_INLINE void store_products(const struct factors *f, stage_path path, const int32x4_t *product, uint8_t *out) {
  const int32x4_t multiplier[4] = {f->multiplier, f->multiplier, f->multiplier, f->multiplier}, shift[4] = {f->shift, f->shift, f->shift, f->shift};
  int8x16_t bytes[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) bytes[v] = tvmq_neon_requantize(path, &f->stage, product + 4 * v, multiplier, shift);
  UNROLL for (int v = 0; v < VECTORS; v++) vst1q_u8(out + 16 * v, vreinterpretq_u8_s8(bytes[v]));
}

TVMQ_INLINE void multiply_s8(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *raised, uint8_t *out) {
  const int16x8_t *const b = raised->values;
  int16x8_t a[2 * VECTORS];
  int32x4_t product[4 * VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) raise_bytes(f, 0, in + 16 * v, a + 2 * v);
  UNROLL for (int i = 0; i < 2 * VECTORS; i++) {
    product[2 * i] = vmull_s16(vget_low_s16(a[i]), vget_low_s16(b[i]));
    product[2 * i + 1] = vmull_high_s16(a[i], b[i]);
  }
  store_products(f, path, product, out);
}

TVMQ_INLINE void multiply_s16(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *raised, uint8_t *out) {
  int32x4_t value[2 * VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const int16x8_t a = vreinterpretq_s16_u8(vld1q_u8(in + 16 * v)), b = raised->values[v];
    value[2 * v] = vmull_s16(vget_low_s16(a), vget_low_s16(b));
    value[2 * v + 1] = vmull_high_s16(a, b);
  }
  UNROLL for (int i = 0; i < 2 * VECTORS; i++) value[i] = tvmq_neon_rescale(path, &f->stage, value[i], f->multiplier, f->shift);
  UNROLL for (int v = 0; v < VECTORS; v++) {
    vst1q_u8(out + 16 * v, vreinterpretq_u8_s16(vminq_s16(vmaxq_s16(to_s16(value[2 * v], value[2 * v + 1]), f->min_s16), f->max_s16)));
  }
}

// ---- squares of differences

TVMQ_INLINE int32x4_t rescaled(const struct factors *f, int i, int32x4_t x) {
  return f->single ? tvmq_neon_rescale(TVMQ_NEON_SINGLE, &f->in_stage, x, f->in_multiplier[i], f->in_shift[i])
                   : tvmq_neon_rescale(TVMQ_NEON_DOUBLE, &f->in_stage, x, f->in_multiplier[i], f->in_shift[i]);
}

// Converts elements. An element that is rescaled by a half is shifted to the left by one bit less than in the
// reference.
TVMQ_INLINE void raise_input(const struct factors *f, int i, bool half, const uint8_t *in, int16x8_t x[]) {
  UNROLL for (int v = 0; v < VECTORS; v++) raise_bytes(f, i, in + 16 * v, x + 2 * v);
  if (half) {
    UNROLL for (int v = 0; v < 2 * VECTORS; v++) x[v] = vshlq_n_s16(x[v], TVMQ_SQUARE_SHIFT - 1);
  } else {
    UNROLL for (int v = 0; v < 2 * VECTORS; v++) {
      const int32x4_t low = rescaled(f, i, vshll_n_s16(vget_low_s16(x[v]), TVMQ_SQUARE_SHIFT));
      x[v] = vmovn_high_s32(vmovn_s32(low), rescaled(f, i, vshll_high_n_s16(x[v], TVMQ_SQUARE_SHIFT)));
    }
  }
}

TVMQ_INLINE void raise_difference(const struct factors *f, const uint8_t *in, struct raised *raised) { raise_input(f, 1, f->half, in, raised->values); }

TVMQ_INLINE void square_s8(const struct factors *f, stage_path path, bool half, const uint8_t *in, const struct raised *b, uint8_t *out) {
  int16x8_t a[2 * VECTORS];
  int32x4_t product[4 * VECTORS];
  raise_input(f, 0, half, in, a);
  UNROLL for (int i = 0; i < 2 * VECTORS; i++) {
    const int16x8_t difference = vsubq_s16(a[i], b->values[i]);
    product[2 * i] = vmull_s16(vget_low_s16(difference), vget_low_s16(difference));
    product[2 * i + 1] = vmull_high_s16(difference, difference);
  }
  store_products(f, path, product, out);
}

// ---- paths

// Returns the path for int16, whose results saturate regardless of the stage's invariants.
TVMQ_INLINE stage_path path_s16(const struct tvmq_stage *stage) {
  if (stage->rounding == TVMQ_ROUNDING_SINGLE) return TVMQ_NEON_SINGLE;
  return stage->rounding == TVMQ_ROUNDING_REFERENCE && stage->right_shifts ? TVMQ_NEON_S8_AWAY : TVMQ_NEON_DOUBLE;
}

#define MULTIPLY_ALL(path, body, ...) body(__VA_ARGS__, path)
#define BY_PATH_s8(args, body, ...) TVMQ_NEON_FOR_AWAY_PATH(tvmq_neon_away_path(&(args)->stage), MULTIPLY_ALL, body, __VA_ARGS__)
#define BY_PATH_s16(args, body, ...) TVMQ_NEON_FOR_GENERAL_PATH(path_s16(&(args)->stage), MULTIPLY_ALL, body, __VA_ARGS__)

// Ties of squares go up, and only the type clamps them, so squares need fewer paths than products.
#define BY_PATH_SQUARES(args, body, ...)                              \
  do {                                                                \
    const enum tvmq_neon_path taken = tvmq_neon_path(&(args)->stage); \
    if (taken == TVMQ_NEON_S8_UP)                                     \
      body(__VA_ARGS__, TVMQ_NEON_S8_UP);                             \
    else if (taken == TVMQ_NEON_U8_UP)                                \
      body(__VA_ARGS__, TVMQ_NEON_U8_UP);                             \
    else if (taken == TVMQ_NEON_SINGLE)                               \
      body(__VA_ARGS__, TVMQ_NEON_SINGLE);                            \
    else                                                              \
      body(__VA_ARGS__, TVMQ_NEON_DOUBLE);                            \
  } while (0)

#include "kernels/mul_template.h"
