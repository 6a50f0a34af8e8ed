// Sum of two quantized tensors on any Arm processor.
//
// Along a plane, smull and smlal multiply bytes by the low parts of the multipliers, whose sums fit int16, and 256 a and 256 b by the high parts. The sum is
// shifted in two steps: its high half is taken, then, by a saturating shift to the left, the high byte of that.
#include "elements_neon.h"
#include "requant_neon.h"

#define ISA neon
enum { BLOCK = 32 };

// ---- bytes along a plane

struct plane {
  int16x4_t high;  // lanes 0 and 1
  int8x16_t low[2];
  int32x4_t bias;
  int16x8_t left;
  int8x16_t min, max;
};

TVMQ_INLINE struct plane plane_of(const struct tvmq_add_args *args) {
  const struct tvmq_plane *p = &args->plane;
  struct plane plane = {
      .high = vdup_n_s16(0),
      .bias = vdupq_n_s32(p->bias),
      .left = vdupq_n_s16((int16_t)(TVMQ_PLANE_MAX_SHIFT - p->shift)),
      .min = vdupq_n_s8((int8_t)args->min),
      .max = vdupq_n_s8((int8_t)args->max),
  };
  const int8_t low[2] = {(int8_t)p->multiplier[0], (int8_t)p->multiplier[1]};
  plane.high = vset_lane_s16((int16_t)((p->multiplier[0] - low[0]) >> 8), plane.high, 0);
  plane.high = vset_lane_s16((int16_t)((p->multiplier[1] - low[1]) >> 8), plane.high, 1);
  UNROLL for (int i = 0; i < 2; i++) plane.low[i] = vdupq_n_s8(low[i]);
  return plane;
}

// Eight sums of the low parts, 256 a and 256 b -> eight values times 2^8.
TVMQ_INLINE int16x8_t plane_values(const struct plane *p, int16x8_t low, int16x8_t a, int16x8_t b) {
  int32x4_t sum0 = vaddw_s16(p->bias, vget_low_s16(low)), sum1 = vaddw_high_s16(p->bias, low);
  sum0 = vmlal_lane_s16(sum0, vget_low_s16(a), p->high, 0);
  sum1 = vmlal_high_lane_s16(sum1, a, p->high, 0);
  sum0 = vmlal_lane_s16(sum0, vget_low_s16(b), p->high, 1);
  sum1 = vmlal_high_lane_s16(sum1, b, p->high, 1);
  return vqshlq_s16(vuzp2q_s16(vreinterpretq_s16_s32(sum0), vreinterpretq_s16_s32(sum1)), p->left);
}

TVMQ_INLINE void plane_block(const struct plane *p, uint8_t flip, const uint8_t *in0, const uint8_t *in1, uint8_t *out) {
  enum { N = BLOCK / 16 };
  const uint8x16_t flips = vdupq_n_u8(flip);
  int8x16_t a[N], b[N];
  int16x8_t value[2 * N];
  UNROLL for (int i = 0; i < N; i++) {
    a[i] = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(in0 + 16 * i), flips));
    b[i] = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(in1 + 16 * i), flips));
  }
  UNROLL for (int i = 0; i < N; i++) {
    value[2 * i] = vmlal_s8(vmull_s8(vget_low_s8(a[i]), vget_low_s8(p->low[0])), vget_low_s8(b[i]), vget_low_s8(p->low[1]));
    value[2 * i + 1] = vmlal_high_s8(vmull_high_s8(a[i], p->low[0]), b[i], p->low[1]);
  }
  UNROLL for (int i = 0; i < N; i++) {
    value[2 * i] = plane_values(p, value[2 * i], vshll_n_s8(vget_low_s8(a[i]), 8), vshll_n_s8(vget_low_s8(b[i]), 8));
    value[2 * i + 1] = plane_values(p, value[2 * i + 1], vshll_high_n_s8(a[i], 8), vshll_high_n_s8(b[i], 8));
  }
  UNROLL for (int i = 0; i < N; i++) {
    const int8x16_t bytes = vuzp2q_s8(vreinterpretq_s8_s16(value[2 * i]), vreinterpretq_s8_s16(value[2 * i + 1]));
    vst1q_u8(out + 16 * i, veorq_u8(vreinterpretq_u8_s8(vminq_s8(vmaxq_s8(bytes, p->min), p->max)), flips));
  }
}

// ---- all others

struct steps {
  enum tvmq_neon_path path;
  struct tvmq_neon_stage stage;
  int32x4_t left[2], in_zero_point[2], in_multiplier[2], in_shift[2], out_zero_point, out_multiplier, out_shift, min, max;
};

TVMQ_INLINE struct steps steps_of(const struct tvmq_add_args *args, int32_t offset) {
  struct steps s = {
      .path = args->rounding == TVMQ_ROUNDING_SINGLE                                   ? TVMQ_NEON_SINGLE
              : args->rounding == TVMQ_ROUNDING_REFERENCE && args->out_scale.shift < 0 ? TVMQ_NEON_S8_AWAY
                                                                                       : TVMQ_NEON_DOUBLE,
      .stage = {.ties = vdupq_n_s32(args->rounding == TVMQ_ROUNDING_REFERENCE ? -1 : 0)},
      .out_zero_point = vdupq_n_s32(args->out_zero_point + offset),
      .out_multiplier = vdupq_n_s32(args->out_scale.multiplier),
      .out_shift = vdupq_n_s32(args->out_scale.shift),
      .min = vdupq_n_s32(args->min + offset),
      .max = vdupq_n_s32(args->max + offset),
  };
  UNROLL for (int i = 0; i < 2; i++) {
    s.in_zero_point[i] = vdupq_n_s32(args->in_zero_point[i] + offset);
    s.in_multiplier[i] = vdupq_n_s32(args->in_scale[i].multiplier);
    // A half, which shifts nothing to the right, is exact: as twice the element and a quarter it has a right shift, as the shorter path wants.
    const int32_t exact = args->in_scale[i].shift == 0;
    s.left[i] = vdupq_n_s32(args->left_shift + exact);
    s.in_shift[i] = vdupq_n_s32(args->in_scale[i].shift - exact);
  }
  return s;
}

TVMQ_INLINE vec steps_rescale(const struct steps *s, vec x, vec multiplier, vec shift) {
  if (s->path == TVMQ_NEON_S8_AWAY) return tvmq_neon_rescale(TVMQ_NEON_S8_AWAY, &s->stage, x, multiplier, shift);
  if (s->path == TVMQ_NEON_SINGLE) return tvmq_neon_rescale(TVMQ_NEON_SINGLE, &s->stage, x, multiplier, shift);
  return tvmq_neon_rescale(TVMQ_NEON_DOUBLE, &s->stage, x, multiplier, shift);
}

TVMQ_INLINE vec steps_scaled(const struct steps *s, int i, vec x) {
  return steps_rescale(s, vshlq_s32(vsubq_s32(x, s->in_zero_point[i]), s->left[i]), s->in_multiplier[i], s->in_shift[i]);
}

TVMQ_INLINE vec steps_sum(const struct steps *s, vec a, vec b) {
  const vec sum = vaddq_s32(steps_scaled(s, 0, a), steps_scaled(s, 1, b));
  const vec value = tvmq_neon_add_s32(steps_rescale(s, sum, s->out_multiplier, s->out_shift), s->out_zero_point);
  return vminq_s32(vmaxq_s32(value, s->min), s->max);
}

#include "add_template.h"
