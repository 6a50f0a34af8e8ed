// Sum or difference of two quantized tensors on any Arm processor.
//
// Along a plane, smull and smlal multiply bytes by the low parts of the multipliers, whose sums fit int16, and 256 a and 256 b by the high parts. The sum is
// shifted in two steps: its high half is taken, then, by a saturating shift to the left, the high byte of that. Along a line there is a alone.
#include "kernels/add_ways.h"
#include "kernels/arm64/elements_neon.h"
#include "kernels/arm64/stage_neon.h"

#define ISA neon
enum { BLOCK = 32 };

TVMQ_INLINE int8x16_t every_s8(int8_t x) { return vdupq_n_s8(x); }
TVMQ_INLINE vec every_s32(int32_t x) { return vdupq_n_s32(x); }

// ---- bytes along a plane

struct plane {
  int16x4_t high;  // lanes 0 and 1
  int8x16_t low[2];
  int32x4_t bias, drop, knee;
  int16x8_t left;
  int8x16_t min, max;
  int8x16_t exception_in[TVMQ_PLANE_MAX_EXCEPTIONS][2], exception_value[TVMQ_PLANE_MAX_EXCEPTIONS];
};

TVMQ_INLINE struct plane plane_of(const struct tvmq_plane *p, int32_t min, int32_t max) {
  struct plane plane = {
      .high = vdup_n_s16(0),
      .bias = vdupq_n_s32(p->bias),
      .drop = vdupq_n_s32(p->drop),
      .knee = vdupq_n_s32(p->knee),
      .left = vdupq_n_s16((int16_t)(TVMQ_PLANE_MAX_SHIFT - p->shift)),
      .min = vdupq_n_s8((int8_t)min),
      .max = vdupq_n_s8((int8_t)max),
  };
  for (int e = 0; e < TVMQ_PLANE_MAX_EXCEPTIONS; e++) {
    const struct tvmq_plane_exception *exception = tvmq_plane_exception(p, e);
    for (int i = 0; i < 2; i++) plane.exception_in[e][i] = vdupq_n_s8(exception->in[i]);
    plane.exception_value[e] = vdupq_n_s8(exception->value);
  }
  const int8_t low[2] = {(int8_t)p->multiplier[0], (int8_t)p->multiplier[1]};
  plane.high = vset_lane_s16((int16_t)((p->multiplier[0] - low[0]) >> 8), plane.high, 0);
  plane.high = vset_lane_s16((int16_t)((p->multiplier[1] - low[1]) >> 8), plane.high, 1);
  UNROLL for (int i = 0; i < 2; i++) plane.low[i] = vdupq_n_s8(low[i]);
  return plane;
}

TVMQ_INLINE int32x4_t dropped(const struct plane *p, int32x4_t sums) {
  return vsubq_s32(sums, vandq_s32(vreinterpretq_s32_u32(vcltq_s32(sums, p->knee)), p->drop));
}

// Eight sums of the low parts, 256 a and, but along a line, 256 b -> eight values times 2^8.
TVMQ_INLINE int16x8_t plane_values(const struct plane *p, bool drops, bool line, int16x8_t low, int16x8_t a, int16x8_t b) {
  int32x4_t sum0 = vaddw_s16(p->bias, vget_low_s16(low)), sum1 = vaddw_high_s16(p->bias, low);
  sum0 = vmlal_lane_s16(sum0, vget_low_s16(a), p->high, 0);
  sum1 = vmlal_high_lane_s16(sum1, a, p->high, 0);
  if (!line) {
    sum0 = vmlal_lane_s16(sum0, vget_low_s16(b), p->high, 1);
    sum1 = vmlal_high_lane_s16(sum1, b, p->high, 1);
  }
  if (drops) {
    sum0 = dropped(p, sum0);
    sum1 = dropped(p, sum1);
  }
  return vqshlq_s16(vuzp2q_s16(vreinterpretq_s16_s32(sum0), vreinterpretq_s16_s32(sum1)), p->left);
}

enum { QUADS = BLOCK / 16 };

TVMQ_INLINE int8x16_t flipped(uint8_t flip, const uint8_t *in) { return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(in), vdupq_n_u8(flip))); }

TVMQ_INLINE void either_block(const struct plane *p, bool drops, bool line, int n_exceptions, uint8_t flip, const int8x16_t a[], const int8x16_t b[],
                              uint8_t *out) {
  const uint8x16_t flips = vdupq_n_u8(flip);
  int16x8_t value[2 * QUADS];
  UNROLL for (int i = 0; i < QUADS; i++) {
    value[2 * i] = vmull_s8(vget_low_s8(a[i]), vget_low_s8(p->low[0]));
    value[2 * i + 1] = vmull_high_s8(a[i], p->low[0]);
    if (line) continue;
    value[2 * i] = vmlal_s8(value[2 * i], vget_low_s8(b[i]), vget_low_s8(p->low[1]));
    value[2 * i + 1] = vmlal_high_s8(value[2 * i + 1], b[i], p->low[1]);
  }
  UNROLL for (int i = 0; i < QUADS; i++) {
    value[2 * i] = plane_values(p, drops, line, value[2 * i], vshll_n_s8(vget_low_s8(a[i]), 8), vshll_n_s8(vget_low_s8(b[i]), 8));
    value[2 * i + 1] = plane_values(p, drops, line, value[2 * i + 1], vshll_high_n_s8(a[i], 8), vshll_high_n_s8(b[i], 8));
  }
  UNROLL for (int i = 0; i < QUADS; i++) {
    int8x16_t bytes = vuzp2q_s8(vreinterpretq_s8_s16(value[2 * i]), vreinterpretq_s8_s16(value[2 * i + 1]));
    bytes = vminq_s8(vmaxq_s8(bytes, p->min), p->max);
    UNROLL for (int e = 0; e < n_exceptions; e++) {
      bytes = vbslq_s8(vandq_u8(vceqq_s8(a[i], p->exception_in[e][0]), vceqq_s8(b[i], p->exception_in[e][1])), p->exception_value[e], bytes);
    }
    vst1q_u8(out + 16 * i, veorq_u8(vreinterpretq_u8_s8(bytes), flips));
  }
}

TVMQ_INLINE void plane_block(const struct plane *p, bool drops, int n_exceptions, uint8_t flip, const uint8_t *in0, const uint8_t *in1, uint8_t *out) {
  int8x16_t a[QUADS], b[QUADS];
  UNROLL for (int i = 0; i < QUADS; i++) {
    a[i] = flipped(flip, in0 + 16 * i);
    b[i] = flipped(flip, in1 + 16 * i);
  }
  either_block(p, drops, false, n_exceptions, flip, a, b, out);
}

TVMQ_INLINE void line_block(const struct plane *p, bool drops, int n_exceptions, uint8_t flip, const uint8_t *in, int8x16_t b, uint8_t *out) {
  int8x16_t a[QUADS], all_b[QUADS];
  UNROLL for (int i = 0; i < QUADS; i++) {
    a[i] = flipped(flip, in + 16 * i);
    all_b[i] = b;
  }
  either_block(p, drops, true, n_exceptions, flip, a, all_b, out);
}

// ---- all others

struct steps {
  enum tvmq_neon_path path;  // LONG
  struct tvmq_neon_stage stage;
  int32x4_t in_zero_point[2], in_multiplier, in_shift, out_zero_point, out_multiplier, out_shift;
  int8x16_t flip, min_s8, max_s8;
  int16x8_t min_s16, max_s16;
};

static struct steps steps_of(const struct tvmq_add_args *args) {
  return (struct steps){
      .path = args->rounding == TVMQ_ROUNDING_SINGLE ? TVMQ_NEON_SINGLE : TVMQ_NEON_DOUBLE,
      .stage = {.ties = vdupq_n_s32(args->rounding == TVMQ_ROUNDING_REFERENCE ? -1 : 0)},
      .in_zero_point = {vdupq_n_s32(args->in_zero_point[0]), vdupq_n_s32(args->in_zero_point[1])},
      .in_multiplier = vdupq_n_s32(args->in_scale[1].multiplier),
      .in_shift = vdupq_n_s32(args->in_scale[1].shift),
      .out_zero_point = vdupq_n_s32(args->out_zero_point),
      .out_multiplier = vdupq_n_s32(args->out_scale.multiplier),
      .out_shift = vdupq_n_s32(args->out_scale.shift),
      .flip = vdupq_n_s8((int8_t)args->flip),
      .min_s8 = vdupq_n_s8((int8_t)args->min),
      .max_s8 = vdupq_n_s8((int8_t)args->max),
      .min_s16 = vdupq_n_s16((int16_t)args->min),
      .max_s16 = vdupq_n_s16((int16_t)args->max),
  };
}

static bool is_short(const struct tvmq_add_args *args) { return args->out_scale.shift < 0; }

TVMQ_INLINE void raise_bytes(const struct steps *s, int i, const void *in, vec x[]) {
  const int8x16_t bytes = veorq_s8(vld1q_s8(in), s->flip);
  from_s16(vmovl_s8(vget_low_s8(bytes)), vmovl_high_s8(bytes), x);
  UNROLL for (int v = 0; v < 4; v++) {
    const vec difference = vsubq_s32(x[v], s->in_zero_point[i]);
    x[v] = i == 0 ? vshlq_n_s32(difference, RAISED_BYTES - 1) : vshlq_n_s32(difference, RAISED_BYTES);
  }
}

TVMQ_INLINE void raise_s16(const struct steps *s, int i, const void *in, vec x[]) {
  (void)s;
  UNROLL for (int v = 0; v < 4; v += 2) {
    const int16x8_t elements = vld1q_s16((const int16_t *)in + 4 * v);
    const int16x4_t low = vget_low_s16(elements);
    x[v] = i == 0 ? vshll_n_s16(low, RAISED_S16 - 1) : vshll_n_s16(low, RAISED_S16);
    x[v + 1] = i == 0 ? vshll_high_n_s16(elements, RAISED_S16 - 1) : vshll_high_n_s16(elements, RAISED_S16);
  }
}

TVMQ_INLINE vec steps_rescale(const struct steps *s, enum steps_way way, vec x, vec multiplier, vec shift) {
  if (way != LONG) return tvmq_neon_rescale(TVMQ_NEON_S8_AWAY, &s->stage, x, multiplier, shift);
  return s->path == TVMQ_NEON_SINGLE ? tvmq_neon_rescale(TVMQ_NEON_SINGLE, &s->stage, x, multiplier, shift)
                                     : tvmq_neon_rescale(TVMQ_NEON_DOUBLE, &s->stage, x, multiplier, shift);
}

TVMQ_INLINE vec steps_scaled(const struct steps *s, enum steps_way way, vec x) {
  return way == EQUAL ? vshrq_n_s32(x, 1) : steps_rescale(s, way, x, s->in_multiplier, s->in_shift);
}

TVMQ_INLINE vec steps_sum(enum sign sign, vec x, vec y) { return sign == PLUS ? vaddq_s32(y, x) : sign == LESS_SECOND ? vsubq_s32(x, y) : vsubq_s32(y, x); }

TVMQ_INLINE vec steps_value(const struct steps *s, enum steps_way way, vec x) { return steps_rescale(s, way, x, s->out_multiplier, s->out_shift); }

TVMQ_INLINE void lower_bytes(const struct steps *s, const vec x[], void *out) {
  vec value[4];
  UNROLL for (int v = 0; v < 4; v++) value[v] = tvmq_neon_add_s32(x[v], s->out_zero_point);
  const int8x16_t bytes = vqmovn_high_s16(vqmovn_s16(to_s16(value[0], value[1])), to_s16(value[2], value[3]));
  vst1q_s8(out, veorq_s8(vminq_s8(vmaxq_s8(bytes, s->min_s8), s->max_s8), s->flip));
}

TVMQ_INLINE void lower_s16(const struct steps *s, const vec x[], void *out) {
  UNROLL for (int v = 0; v < 4; v += 2) { vst1q_s16((int16_t *)out + 4 * v, vminq_s16(vmaxq_s16(to_s16(x[v], x[v + 1]), s->min_s16), s->max_s16)); }
}

#include "kernels/add_template.h"
