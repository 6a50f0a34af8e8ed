// Float32 arithmetic, sixteen elements at a time, so that in-order cores have independent work; the remaining elements
// one by one. The other float32 kernels are plain C, vectorized by the compiler.
//
// On cores with slow division, such as Cortex-A72, p / 6 is a corrected product with y = 1/6, rounded:
//
//   q = fl(p y);  p / 6 = fl(q + y fl(p - 6 q))        both sums fused
//
// The result equals the correctly rounded quotient: q is off by at most one unit in its last place, the residual is
// exact, and y is rounded correctly (Markstein). This does not hold for zeros, whose sign the residual loses, if the
// residual underflows, or if the quotient is not finite. Zeros are kept as they are. A block with one of the other
// cases uses division. tests/unit/test_sixth.c tries every mantissa.
#include <arm_neon.h>

#include "base/inline.h"
#include "kernels/kernel.h"

enum { VECTORS = 4, LANES = 4 * VECTORS };

// Bits of 2^-100 and 2^126; the quotient is corrected between these.
enum { LEAST = (127 - 100) << 23, MOST = (127 + 126) << 23 };

// Returns all ones where p is outside that range and is not zero.
TVMQ_INLINE uint32x4_t is_beyond(float32x4_t p, uint32x4_t is_zero) {
  const uint32x4_t bits = vreinterpretq_u32_f32(vabsq_f32(p));
  return vbicq_u32(vcgtq_u32(vsubq_u32(bits, vdupq_n_u32(LEAST)), vdupq_n_u32(MOST - LEAST)), is_zero);
}

TVMQ_INLINE void hard_swish(const float32x4_t x[VECTORS], float32x4_t result[VECTORS]) {
  const float32x4_t sixth = vdupq_n_f32(1.0f / 6), six = vdupq_n_f32(6);
  float32x4_t p[VECTORS];
  uint32x4_t beyond = vdupq_n_u32(0);
  // The gate of NaN is 0.
  UNROLL for (int v = 0; v < VECTORS; v++) p[v] = vmulq_f32(x[v], vminq_f32(vmaxnmq_f32(vaddq_f32(x[v], vdupq_n_f32(3)), vdupq_n_f32(0)), six));
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const uint32x4_t is_zero = vceqzq_f32(p[v]);
    const float32x4_t q = vmulq_f32(p[v], sixth);
    result[v] = vbslq_f32(is_zero, p[v], vfmaq_f32(q, vfmsq_f32(p[v], q, six), sixth));
    beyond = vorrq_u32(beyond, is_beyond(p[v], is_zero));
  }
  if (vmaxvq_u32(beyond) != 0) {
    UNROLL for (int v = 0; v < VECTORS; v++) result[v] = vdivq_f32(p[v], six);
  }
}

// Clamps x. Comparisons with NaN are false, so NaN stays.
TVMQ_INLINE float32x4_t clamped(float32x4_t x, float32x4_t min, float32x4_t max) {
  const float32x4_t above = vbslq_f32(vcltq_f32(x, min), min, x);
  return vbslq_f32(vcgtq_f32(above, max), max, above);
}

TVMQ_INLINE float32x4_t vector_of(const struct tvmq_float_map_args *args, enum tvmq_float_mapping mapping, float32x4_t x) {
  switch (mapping) {
    case TVMQ_MAP_HARD_SWISH:  // computed for several vectors at a time elsewhere
      break;
    case TVMQ_MAP_BEND:
      return vbslq_f32(vcgtzq_f32(x), x, vmulq_n_f32(x, args->slope));
    case TVMQ_MAP_CLAMP:
      return clamped(x, vdupq_n_f32(args->min), vdupq_n_f32(args->max));
    case TVMQ_MAP_ABSOLUTE:
      return vabsq_f32(x);
    case TVMQ_MAP_NEGATIVE:
      return vnegq_f32(x);
    case TVMQ_MAP_SQUARE:
      return vmulq_f32(x, x);
    case TVMQ_MAP_ROOT:
      return vsqrtq_f32(x);
    case TVMQ_MAP_INVERSE_ROOT:
      return vdivq_f32(vdupq_n_f32(1), vsqrtq_f32(x));
  }
  __builtin_unreachable();
}

TVMQ_INLINE void mapped(const struct tvmq_float_map_args *args, enum tvmq_float_mapping mapping, const float32x4_t x[VECTORS], float32x4_t result[VECTORS]) {
  if (mapping == TVMQ_MAP_HARD_SWISH) {
    hard_swish(x, result);
    return;
  }
  UNROLL for (int v = 0; v < VECTORS; v++) result[v] = vector_of(args, mapping, x[v]);
}

TVMQ_INLINE void map(enum tvmq_float_mapping mapping, const struct tvmq_float_map_args *args) {
  const float *in = args->in;
  float *out = args->out;
  float32x4_t result[VECTORS];
  size_t left = args->n;
  for (; left >= LANES; left -= LANES, in += LANES, out += LANES) {
    const float32x4_t x[VECTORS] = {vld1q_f32(in), vld1q_f32(in + 4), vld1q_f32(in + 8), vld1q_f32(in + 12)};
    mapped(args, mapping, x, result);
    UNROLL for (int v = 0; v < VECTORS; v++) vst1q_f32(out + 4 * v, result[v]);
  }
  for (; left > 0; left--, in++, out++) {
    const float32x4_t one = vld1q_dup_f32(in), x[VECTORS] = {one, one, one, one};
    mapped(args, mapping, x, result);
    vst1q_lane_f32(out, result[0], 0);
  }
}

void tvmq_float_map__neon(const struct tvmq_float_map_args *call) {
  const struct tvmq_float_map_args args = *call;
  switch (args.mapping) {
#define MAPPING(NAME, value)     \
  case TVMQ_MAP_##NAME:          \
    map(TVMQ_MAP_##NAME, &args); \
    break;
    TVMQ_FLOAT_MAPPINGS(MAPPING)
#undef MAPPING
  }
}
