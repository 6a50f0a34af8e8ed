// Squared difference of two quantized tensors on any Arm processor. Differences are int16.
#include "kernels/elements_neon.h"
#include "kernels/stage_neon.h"

#define ISA neon

typedef enum tvmq_neon_path stage_path;

enum { BLOCK_BYTES = 32, VECTORS = BLOCK_BYTES / 16 };

struct factors {
  struct tvmq_neon_stage stage, in_stage;
  bool half, single;  // the second is rescaled by a half; rounding is single
  int8x16_t in_zero_point[2];
  int32x4_t in_multiplier[2], in_shift[2], multiplier, shift;
};

TVMQ_INLINE struct factors factors_of(const struct tvmq_square_args *args, stage_path path) {
  struct factors f = {
      .stage = tvmq_neon_stage(path, &args->stage),
      .in_stage = {.ties = vdupq_n_s32(args->rounding == TVMQ_ROUNDING_REFERENCE ? -1 : 0)},
      .half = tvmq_is_half(args->in_scale[1]),
      .single = args->rounding == TVMQ_ROUNDING_SINGLE,
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

struct raised {
  int16x8_t values[2 * VECTORS];
};

TVMQ_INLINE int32x4_t rescaled(const struct factors *f, int i, int32x4_t x) {
  return f->single ? tvmq_neon_rescale(TVMQ_NEON_SINGLE, &f->in_stage, x, f->in_multiplier[i], f->in_shift[i])
                   : tvmq_neon_rescale(TVMQ_NEON_DOUBLE, &f->in_stage, x, f->in_multiplier[i], f->in_shift[i]);
}

// An element that is rescaled by a half is shifted to the left by one bit less than the reference shifts it.
TVMQ_INLINE void raise_input(const struct factors *f, int i, bool half, const uint8_t *in, int16x8_t x[]) {
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const int8x16_t bytes = veorq_s8(vreinterpretq_s8_u8(vld1q_u8(in + 16 * v)), f->stage.flip);
    x[2 * v] = vsubl_s8(vget_low_s8(bytes), vget_low_s8(f->in_zero_point[i]));
    x[2 * v + 1] = vsubl_high_s8(bytes, f->in_zero_point[i]);
  }
  if (half) {
    UNROLL for (int v = 0; v < 2 * VECTORS; v++) x[v] = vshlq_n_s16(x[v], TVMQ_SQUARE_SHIFT - 1);
  } else {
    UNROLL for (int v = 0; v < 2 * VECTORS; v++) {
      const int32x4_t low = rescaled(f, i, vshll_n_s16(vget_low_s16(x[v]), TVMQ_SQUARE_SHIFT));
      x[v] = vmovn_high_s32(vmovn_s32(low), rescaled(f, i, vshll_high_n_s16(x[v], TVMQ_SQUARE_SHIFT)));
    }
  }
}

TVMQ_INLINE void raise_row(const struct factors *f, const uint8_t *in, struct raised *raised) { raise_input(f, 1, f->half, in, raised->values); }

TVMQ_INLINE void square(const struct factors *f, stage_path path, bool half, const uint8_t *in, const struct raised *b, uint8_t *out) {
  const int32x4_t multiplier[4] = {f->multiplier, f->multiplier, f->multiplier, f->multiplier}, shift[4] = {f->shift, f->shift, f->shift, f->shift};
  int16x8_t a[2 * VECTORS];
  int32x4_t product[4 * VECTORS];
  raise_input(f, 0, half, in, a);
  UNROLL for (int i = 0; i < 2 * VECTORS; i++) {
    const int16x8_t difference = vsubq_s16(a[i], b->values[i]);
    product[2 * i] = vmull_s16(vget_low_s16(difference), vget_low_s16(difference));
    product[2 * i + 1] = vmull_high_s16(difference, difference);
  }
  int8x16_t bytes[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) bytes[v] = tvmq_neon_requantize(path, &f->stage, product + 4 * v, multiplier, shift);
  UNROLL for (int v = 0; v < VECTORS; v++) vst1q_u8(out + 16 * v, vreinterpretq_u8_s8(bytes[v]));
}

// Ties of squares go up, and nothing but the type clamps them, so there are fewer paths than of products.
#define BY_PATH(args, body, ...)                                      \
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

#include "kernels/square_template.h"
