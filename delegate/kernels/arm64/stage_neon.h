// The output stage in NEON registers: bit-exact with stage.h, sixteen accumulators at a time so that in-order cores
// have independent work.
//
// Rounding away from zero costs one instruction: a negative doubling high product h is decremented. The rounding shift
// that follows (ties up) then rounds a negative tie down, and changes nothing else. A product that rounds to 0 from
// below may be decremented, too: the shift gives 0 again. h cannot be INT32_MIN, because the multiplier is at most 2^31
// - 1, so nothing wraps.
//
// Planning determines what an operator needs. A kernel branches once per tile, on `enum tvmq_neon_path`, into code
// specialized for that path.
#pragma once

#include <arm_neon.h>
#include <string.h>

#include "arithmetic/stage.h"
#include "base/inline.h"
#include "kernels/kernel.h"

enum tvmq_neon_path {
  // Right shifts; values fit int16, so narrowing is an unzip. The clamp is the type's range, so saturation clamps. Ties
  // go away from zero (three instructions per vector), or up (two) if tvmq_stage_ties_up().
  TVMQ_NEON_S8_AWAY,
  TVMQ_NEON_S8_UP,
  TVMQ_NEON_U8_AWAY,
  TVMQ_NEON_U8_UP,
  TVMQ_NEON_CLAMPED,  // any clamp; ties away from zero
  // A panel in fused form: one instruction per vector.
  TVMQ_NEON_S8_FUSED,
  TVMQ_NEON_U8_FUSED,
  // Any stage.
  TVMQ_NEON_DOUBLE,  // reference or upward
  TVMQ_NEON_SINGLE,  // one rounding of the 64-bit product
  TVMQ_NEON_SUMS     // stores the accumulators (TVMQ_SUMS)
};

// Calls body(path, ...) with a constant path out of those that tvmq_neon_general_path() returns. Likely paths come
// first.
#define TVMQ_NEON_FOR_GENERAL_PATH(path, body, ...) \
  do {                                              \
    if ((path) == TVMQ_NEON_S8_AWAY)                \
      body(TVMQ_NEON_S8_AWAY, __VA_ARGS__);         \
    else if ((path) == TVMQ_NEON_CLAMPED)           \
      body(TVMQ_NEON_CLAMPED, __VA_ARGS__);         \
    else if ((path) == TVMQ_NEON_DOUBLE)            \
      body(TVMQ_NEON_DOUBLE, __VA_ARGS__);          \
    else                                            \
      body(TVMQ_NEON_SINGLE, __VA_ARGS__);          \
  } while (0)

// The same for the paths of tvmq_neon_away_path(), which has one more.
#define TVMQ_NEON_FOR_AWAY_PATH(path, body, ...)           \
  do {                                                     \
    if ((path) == TVMQ_NEON_U8_AWAY)                       \
      body(TVMQ_NEON_U8_AWAY, __VA_ARGS__);                \
    else                                                   \
      TVMQ_NEON_FOR_GENERAL_PATH(path, body, __VA_ARGS__); \
  } while (0)

// The same for the paths of tvmq_neon_panel_path(), and of tvmq_neon_general_panel_path().
#define TVMQ_NEON_FOR_PANEL_PATH(path, body, ...) TVMQ_NEON_FUSED_OR(path, TVMQ_NEON_FOR_AWAY_PATH, body, __VA_ARGS__)
#define TVMQ_NEON_FOR_GENERAL_PANEL_PATH(path, body, ...) TVMQ_NEON_FUSED_OR(path, TVMQ_NEON_FOR_GENERAL_PATH, body, __VA_ARGS__)
#define TVMQ_NEON_FUSED_OR(path, FOR_PATH, body, ...) \
  do {                                                \
    if ((path) == TVMQ_NEON_S8_FUSED)                 \
      body(TVMQ_NEON_S8_FUSED, __VA_ARGS__);          \
    else if ((path) == TVMQ_NEON_U8_FUSED)            \
      body(TVMQ_NEON_U8_FUSED, __VA_ARGS__);          \
    else                                              \
      FOR_PATH(path, body, __VA_ARGS__);              \
  } while (0)

// The same two for kernels with TVMQ_SUMS.
#define TVMQ_NEON_FOR_PANEL_PATH_OR_SUMS(path, body, ...) TVMQ_NEON_OR_SUMS(path, TVMQ_NEON_FOR_PANEL_PATH, body, __VA_ARGS__)
#define TVMQ_NEON_FOR_GENERAL_PANEL_PATH_OR_SUMS(path, body, ...) TVMQ_NEON_OR_SUMS(path, TVMQ_NEON_FOR_GENERAL_PANEL_PATH, body, __VA_ARGS__)
#define TVMQ_NEON_FOR_GENERAL_PATH_OR_SUMS(path, body, ...) TVMQ_NEON_OR_SUMS(path, TVMQ_NEON_FOR_GENERAL_PATH, body, __VA_ARGS__)
#define TVMQ_NEON_OR_SUMS(path, FOR_PATH, body, ...) \
  do {                                               \
    if ((path) == TVMQ_NEON_SUMS)                    \
      body(TVMQ_NEON_SUMS, __VA_ARGS__);             \
    else                                             \
      FOR_PATH(path, body, __VA_ARGS__);             \
  } while (0)

// The stage in registers. It is made for each tile: no registers are left to keep it across tiles, and members that a
// path does not use cost nothing.
struct tvmq_neon_stage {
  int32x4_t ties;  // all ones if negative ties go down (reference rounding)
  int32x4_t zero_point;
  int16x8_t zero_point_s16;  // zero point of the output as stored, for the uint8 paths
  int8x16_t min, max, flip;
};

// The output stage in the layout that assembly loops load; values are those of the output as stored.
struct tvmq_neon_output {
  int16_t zero_point[8];
  uint8_t min[16], max[16];
};

static inline struct tvmq_neon_output tvmq_neon_output(const struct tvmq_stage *stage) {
  struct tvmq_neon_output output;
  vst1q_s16(output.zero_point, vdupq_n_s16((int16_t)(stage->zero_point + stage->flip)));
  vst1q_u8(output.min, vdupq_n_u8((uint8_t)(stage->min ^ stage->flip)));
  vst1q_u8(output.max, vdupq_n_u8((uint8_t)(stage->max ^ stage->flip)));
  return output;
}

static inline enum tvmq_neon_path tvmq_neon_path(const struct tvmq_stage *stage) {
  if (stage->sums) return TVMQ_NEON_SUMS;
  if (stage->rounding == TVMQ_ROUNDING_SINGLE) return TVMQ_NEON_SINGLE;
  if (!stage->right_shifts || !stage->fits_int16) return TVMQ_NEON_DOUBLE;
  if (tvmq_stage_clamps(stage)) return stage->rounding == TVMQ_ROUNDING_UPWARD ? TVMQ_NEON_DOUBLE : TVMQ_NEON_CLAMPED;
  if (tvmq_stage_ties_up(stage)) return stage->flip ? TVMQ_NEON_U8_UP : TVMQ_NEON_S8_UP;
  return stage->flip ? TVMQ_NEON_U8_AWAY : TVMQ_NEON_S8_AWAY;
}

// Returns a path without S8_UP and U8_UP, with the same results: for kernels that seldom have fixed-point panels whose
// ties go up.
static inline enum tvmq_neon_path tvmq_neon_away_path(const struct tvmq_stage *stage) {
  const enum tvmq_neon_path path = tvmq_neon_path(stage);
  if (path != TVMQ_NEON_S8_UP && path != TVMQ_NEON_U8_UP) return path;
  return stage->rounding == TVMQ_ROUNDING_UPWARD ? TVMQ_NEON_DOUBLE : path == TVMQ_NEON_S8_UP ? TVMQ_NEON_S8_AWAY : TVMQ_NEON_U8_AWAY;
}

// Returns S8_AWAY, CLAMPED, DOUBLE, SINGLE or SUMS, with the same results: for kernels with much code per path.
static inline enum tvmq_neon_path tvmq_neon_general_path(const struct tvmq_stage *stage) {
  const enum tvmq_neon_path path = tvmq_neon_path(stage);
  if (path == TVMQ_NEON_S8_AWAY || path >= TVMQ_NEON_CLAMPED) return path;
  return stage->rounding == TVMQ_ROUNDING_UPWARD ? TVMQ_NEON_DOUBLE : stage->flip ? TVMQ_NEON_CLAMPED : TVMQ_NEON_S8_AWAY;
}

// For kernels with TVMQ_FUSED_STAGE: the path of a panel with these multipliers. Fixed-point panels use
// tvmq_neon_away_path(), or the general path.
static inline bool tvmq_neon_is_fused(const struct tvmq_stage *stage, const int32_t *multipliers) { return !stage->sums && *multipliers < 0; }

static inline enum tvmq_neon_path tvmq_neon_fused_path(const struct tvmq_stage *stage) { return stage->flip ? TVMQ_NEON_U8_FUSED : TVMQ_NEON_S8_FUSED; }

static inline enum tvmq_neon_path tvmq_neon_panel_path(const struct tvmq_stage *stage, const int32_t *multipliers) {
  return tvmq_neon_is_fused(stage, multipliers) ? tvmq_neon_fused_path(stage) : tvmq_neon_away_path(stage);
}

static inline enum tvmq_neon_path tvmq_neon_general_panel_path(const struct tvmq_stage *stage, const int32_t *multipliers) {
  return tvmq_neon_is_fused(stage, multipliers) ? tvmq_neon_fused_path(stage) : tvmq_neon_general_path(stage);
}

static inline struct tvmq_neon_stage tvmq_neon_stage(enum tvmq_neon_path path, const struct tvmq_stage *stage) {
  const bool is_unsigned = path == TVMQ_NEON_U8_UP || path == TVMQ_NEON_U8_AWAY;
  return (struct tvmq_neon_stage){
      .ties = vdupq_n_s32(stage->rounding == TVMQ_ROUNDING_REFERENCE ? -1 : 0),
      .zero_point = vdupq_n_s32(stage->zero_point),
      .zero_point_s16 = vdupq_n_s16((int16_t)(stage->zero_point + (is_unsigned ? stage->flip : 0))),
      .min = vdupq_n_s8((int8_t)stage->min),
      .max = vdupq_n_s8((int8_t)stage->max),
      .flip = vdupq_n_s8((int8_t)stage->flip),
  };
}

// Adds with wrapping: compilers may assume that sums of signed lanes do not wrap.
TVMQ_INLINE int32x4_t tvmq_neon_add_s32(int32x4_t a, int32x4_t b) {
  return vreinterpretq_s32_u32(vaddq_u32(vreinterpretq_u32_s32(a), vreinterpretq_u32_s32(b)));
}

TVMQ_INLINE int16x8_t tvmq_neon_add_s16(int16x8_t a, int16x8_t b) {
  return vreinterpretq_s16_u16(vaddq_u16(vreinterpretq_u16_s16(a), vreinterpretq_u16_s16(b)));
}

// Stores half a vector at any address; vst1q_lane_s64 requires an aligned one. `half` is a compile-time constant.
TVMQ_INLINE void tvmq_neon_store_half(void *out, int8x16_t bytes, int half) {
  const int64x2_t halves = vreinterpretq_s64_s8(bytes);
  const int64_t value = half ? vgetq_lane_s64(halves, 1) : vgetq_lane_s64(halves, 0);
  memcpy(out, &value, sizeof value);
}

// Stores the accumulators.
TVMQ_INLINE void tvmq_neon_store_sums(void *out, const int32x4_t *acc, size_t n_vectors) {
  UNROLL for (size_t v = 0; v < n_vectors; v++) vst1q_s32((int32_t *)out + 4 * v, acc[v]);
}

// Returns x * multiplier / 2^31 with ties up, minus 1 if x is negative.
TVMQ_INLINE int32x4_t tvmq_neon_lowered_product(int32x4_t x, int32x4_t multiplier) {
#if defined(__ARM_FEATURE_QRDMX)
  return vqrdmlahq_s32(vreinterpretq_s32_u32(vcltzq_s32(x)), x, multiplier);
#else
  const int32x4_t high = vqrdmulhq_s32(x, multiplier);
  return vsraq_n_s32(high, high, 31);
#endif
}

// Returns rescaled accumulators. Here and below, `path` is a compile-time constant.
TVMQ_INLINE int32x4_t tvmq_neon_rescale(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, int32x4_t x, int32x4_t multiplier, int32x4_t shift) {
  const int32x4_t zero = vdupq_n_s32(0);
  switch (path) {
    case TVMQ_NEON_S8_UP:
    case TVMQ_NEON_U8_UP:
      return vrshlq_s32(vqrdmulhq_s32(x, multiplier), shift);
    case TVMQ_NEON_S8_AWAY:
    case TVMQ_NEON_U8_AWAY:
    case TVMQ_NEON_CLAMPED:
      return vrshlq_s32(tvmq_neon_lowered_product(x, multiplier), shift);
    case TVMQ_NEON_S8_FUSED:
    case TVMQ_NEON_U8_FUSED:
      return vreinterpretq_s32_f32(vfmsq_f32(vreinterpretq_f32_s32(shift), vreinterpretq_f32_s32(x), vreinterpretq_f32_s32(multiplier)));
    case TVMQ_NEON_DOUBLE: {
      // Without a right shift there is no tie.
      const int32x4_t high = vqrdmulhq_s32(vshlq_s32(x, vmaxq_s32(shift, zero)), multiplier);
      const int32x4_t ties = vandq_s32(stage->ties, vreinterpretq_s32_u32(vcltq_s32(shift, zero)));
      return vrshlq_s32(vaddq_s32(high, vandq_s32(vshrq_n_s32(high, 31), ties)), vminq_s32(shift, zero));
    }
    case TVMQ_NEON_SINGLE:
    default: {
      const int64x2_t unit = vdupq_n_s64(-31);
      const int64x2_t low = vrshlq_s64(vmull_s32(vget_low_s32(x), vget_low_s32(multiplier)), vaddw_s32(unit, vget_low_s32(shift)));
      const int64x2_t high = vrshlq_s64(vmull_high_s32(x, multiplier), vaddw_high_s32(unit, shift));
      return vuzp1q_s32(vreinterpretq_s32_s64(low), vreinterpretq_s32_s64(high));
    }
  }
}

TVMQ_INLINE int16x8_t tvmq_neon_narrow(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, int32x4_t x0, int32x4_t x1) {
  if (path == TVMQ_NEON_S8_FUSED || path == TVMQ_NEON_U8_FUSED) return vuzp1q_s16(vreinterpretq_s16_s32(x0), vreinterpretq_s16_s32(x1));
  if (path != TVMQ_NEON_DOUBLE && path != TVMQ_NEON_SINGLE)
    return tvmq_neon_add_s16(vuzp1q_s16(vreinterpretq_s16_s32(x0), vreinterpretq_s16_s32(x1)), stage->zero_point_s16);
  // Near the ends of int32 the zero point wraps, as the definition does.
  return vqmovn_high_s32(vqmovn_s32(tvmq_neon_add_s32(x0, stage->zero_point)), tvmq_neon_add_s32(x1, stage->zero_point));
}

// Requantizes four vectors of accumulators, each with its channels' multipliers and shifts, to the sixteen bytes to
// store.
TVMQ_INLINE int8x16_t tvmq_neon_requantize(enum tvmq_neon_path path, const struct tvmq_neon_stage *stage, const int32x4_t acc[4], const int32x4_t multiplier[4],
                                           const int32x4_t shift[4]) {
  const int32x4_t x0 = tvmq_neon_rescale(path, stage, acc[0], multiplier[0], shift[0]);
  const int32x4_t x1 = tvmq_neon_rescale(path, stage, acc[1], multiplier[1], shift[1]);
  const int32x4_t x2 = tvmq_neon_rescale(path, stage, acc[2], multiplier[2], shift[2]);
  const int32x4_t x3 = tvmq_neon_rescale(path, stage, acc[3], multiplier[3], shift[3]);
  const int16x8_t low = tvmq_neon_narrow(path, stage, x0, x1), high = tvmq_neon_narrow(path, stage, x2, x3);
  if (path == TVMQ_NEON_U8_UP || path == TVMQ_NEON_U8_AWAY || path == TVMQ_NEON_U8_FUSED) return vreinterpretq_s8_u8(vqmovun_high_s16(vqmovun_s16(low), high));
  const int8x16_t value = vqmovn_high_s16(vqmovn_s16(low), high);
  if (path == TVMQ_NEON_S8_UP || path == TVMQ_NEON_S8_AWAY || path == TVMQ_NEON_S8_FUSED) return value;
  return veorq_s8(vminq_s8(vmaxq_s8(value, stage->min), stage->max), stage->flip);
}

// ---- int64 accumulators (16x8): tvmq_stage_s64()

struct tvmq_neon_stage_s64 {
  int32x4_t zero_point, min, max;
};

static inline struct tvmq_neon_stage_s64 tvmq_neon_stage_s64(const struct tvmq_stage *stage) {
  return (struct tvmq_neon_stage_s64){vdupq_n_s32(stage->zero_point), vdupq_n_s32(stage->min), vdupq_n_s32(stage->max)};
}

// Multipliers of four channels in 15 bits, and the shifts of their products.
struct tvmq_neon_scale_s64 {
  int32x4_t multiplier;
  int64x2_t low_shift, high_shift;
};

static inline struct tvmq_neon_scale_s64 tvmq_neon_scale_s64(const int32_t *multiplier, const int32_t *shift) {
  const int32x4_t s = vld1q_s32(shift);
  const int64x2_t unit = vdupq_n_s64(-15);
  return (struct tvmq_neon_scale_s64){
      .multiplier = vminq_s32(vrshrq_n_s32(vld1q_s32(multiplier), 16), vdupq_n_s32(INT16_MAX)),
      .low_shift = vaddw_s32(unit, vget_low_s32(s)),
      .high_shift = vaddw_high_s32(unit, s),
  };
}

// Requantizes accumulators of four channels to the elements to store. The lower and upper 32 bits of an accumulator are
// multiplied separately, because there is no 64-bit product.
TVMQ_INLINE int16x4_t tvmq_neon_requantize_s64(const struct tvmq_neon_stage_s64 *stage, const struct tvmq_neon_scale_s64 *scale, int64x2_t low,
                                               int64x2_t high) {
  const int32x4_t zero = vdupq_n_s32(0), a = vreinterpretq_s32_s64(low), b = vreinterpretq_s32_s64(high);
  const uint32x4_t lower = vreinterpretq_u32_s32(vuzp1q_s32(a, b)), multiplier = vreinterpretq_u32_s32(scale->multiplier);
  const int32x4_t upper = vmulq_s32(vuzp2q_s32(a, b), scale->multiplier);
  const int64x2_t p0 =
      vaddq_s64(vreinterpretq_s64_u64(vmull_u32(vget_low_u32(lower), vget_low_u32(multiplier))), vreinterpretq_s64_s32(vzip1q_s32(zero, upper)));
  const int64x2_t p1 = vaddq_s64(vreinterpretq_s64_u64(vmull_high_u32(lower, multiplier)), vreinterpretq_s64_s32(vzip2q_s32(zero, upper)));
  const int64x2_t v0 = vrshlq_s64(p0, scale->low_shift), v1 = vrshlq_s64(p1, scale->high_shift);
  const int32x4_t value = tvmq_neon_add_s32(vuzp1q_s32(vreinterpretq_s32_s64(v0), vreinterpretq_s32_s64(v1)), stage->zero_point);
  return vmovn_s32(vminq_s32(vmaxq_s32(value, stage->min), stage->max));
}

// Multiplies two accumulators by float64 scales. Returns the nearest integers, ties away from zero, between min and
// max.
TVMQ_INLINE int32x2_t tvmq_neon_scale_float64(int64x2_t acc, float64x2_t scale, float64x2_t min, float64x2_t max) {
  const float64x2_t value = vrndaq_f64(vmulq_f64(vcvtq_f64_s64(acc), scale));
  return vmovn_s64(vcvtq_s64_f64(vminq_f64(vmaxq_f64(value, min), max)));
}

// int32 sums that are moved to int64 before they overflow, in rows of eight channels. The int64 sums of a row begin
// `step` elements after those of the previous row. Until the first move they are the biases (step 0), afterwards the
// values in `kept`.
struct tvmq_neon_sums {
  const int64_t *from;
  size_t step;
  int64_t kept[8 * 8];  // int64 sums of up to eight rows
};

TVMQ_INLINE void tvmq_neon_move_sums(struct tvmq_neon_sums *sums, size_t n_rows, const int32x4_t *acc) {
  UNROLL for (size_t i = 0; i < 2 * n_rows; i++) {
    const int64_t *from = sums->from + i / 2 * sums->step + i % 2 * 4;
    vst1q_s64(sums->kept + 4 * i, vaddw_s32(vld1q_s64(from), vget_low_s32(acc[i])));
    vst1q_s64(sums->kept + 4 * i + 2, vaddw_high_s32(vld1q_s64(from + 2), acc[i]));
  }
  sums->from = sums->kept;
  sums->step = 8;
}

// Returns the elements to store of a row with int64 sums `from` and int32 sums `acc`.
TVMQ_INLINE int16x8_t tvmq_neon_requantize_sums(const struct tvmq_neon_stage_s64 *stage, const struct tvmq_neon_scale_s64 scale[2], const int64_t *from,
                                                const int32x4_t acc[2]) {
  int16x4_t value[2];
  UNROLL for (size_t v = 0; v < 2; v++) {
    const int64x2_t low = vaddw_s32(vld1q_s64(from + 4 * v), vget_low_s32(acc[v]));
    const int64x2_t high = vaddw_high_s32(vld1q_s64(from + 4 * v + 2), acc[v]);
    value[v] = tvmq_neon_requantize_s64(stage, &scale[v], low, high);
  }
  return vcombine_s16(value[0], value[1]);
}

// The same with float64 scales, whose halves are in `lower` and `upper`. Zero points are 0.
TVMQ_INLINE int16x8_t tvmq_neon_scale_sums_float64(const struct tvmq_stage *stage, const int32_t *lower, const int32_t *upper, const int64_t *from,
                                                   const int32x4_t acc[2]) {
  const float64x2_t min = vdupq_n_f64(stage->min), max = vdupq_n_f64(stage->max);
  int16x4_t value[2];
  UNROLL for (size_t v = 0; v < 2; v++) {
    const int32x4_t low = vld1q_s32(lower + 4 * v), high = vld1q_s32(upper + 4 * v);
    const float64x2_t first = vreinterpretq_f64_s32(vzip1q_s32(low, high)), second = vreinterpretq_f64_s32(vzip2q_s32(low, high));
    const int32x2_t a = tvmq_neon_scale_float64(vaddw_s32(vld1q_s64(from + 4 * v), vget_low_s32(acc[v])), first, min, max);
    const int32x2_t b = tvmq_neon_scale_float64(vaddw_high_s32(vld1q_s64(from + 4 * v + 2), acc[v]), second, min, max);
    value[v] = vmovn_s32(vcombine_s32(a, b));
  }
  return vcombine_s16(value[0], value[1]);
}
