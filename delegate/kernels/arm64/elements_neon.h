// Loads and stores elements of tensors as int32 in NEON vectors, four vectors at a time, in order.
#pragma once

#include <arm_neon.h>
#include <stdint.h>

#include "base/inline.h"

enum { LANES = 4 };
typedef int32x4_t vec;

TVMQ_INLINE void from_s16(int16x8_t low, int16x8_t high, vec x[]) {
  x[0] = vmovl_s16(vget_low_s16(low));
  x[1] = vmovl_high_s16(low);
  x[2] = vmovl_s16(vget_low_s16(high));
  x[3] = vmovl_high_s16(high);
}

TVMQ_INLINE void load_s8(const void *p, vec x[]) {
  const int8x16_t bytes = vld1q_s8(p);
  from_s16(vmovl_s8(vget_low_s8(bytes)), vmovl_high_s8(bytes), x);
}

TVMQ_INLINE void load_u8(const void *p, vec x[]) {
  const uint8x16_t bytes = vld1q_u8(p);
  from_s16(vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(bytes))), vreinterpretq_s16_u16(vmovl_high_u8(bytes)), x);
}

TVMQ_INLINE void load_s16(const void *p, vec x[]) { from_s16(vld1q_s16(p), vld1q_s16((const int16_t *)p + 8), x); }

typedef vec loaded __attribute__((aligned(1), may_alias));

// Loads one vector per instruction: compilers would use pair loads, which Cortex-A55 executes at a third of the speed.
TVMQ_INLINE vec load_vector(const int32_t *p) {
  vec x;
  __asm__("ldr %q0, %1" : "=w"(x) : "m"(*(const loaded *)p));
  return x;
}

TVMQ_INLINE void load_s32(const void *p, vec x[]) { UNROLL for (int i = 0; i < 4; i++) x[i] = load_vector((const int32_t *)p + 4 * i); }

TVMQ_INLINE int16x8_t to_s16(vec a, vec b) { return vqmovn_high_s32(vqmovn_s32(a), b); }

TVMQ_INLINE void store_s8(void *p, const vec x[]) { vst1q_s8(p, vqmovn_high_s16(vqmovn_s16(to_s16(x[0], x[1])), to_s16(x[2], x[3]))); }

TVMQ_INLINE void store_u8(void *p, const vec x[]) { vst1q_u8(p, vqmovun_high_s16(vqmovun_s16(to_s16(x[0], x[1])), to_s16(x[2], x[3]))); }

TVMQ_INLINE void store_s16(void *p, const vec x[]) { UNROLL for (int i = 0; i < 4; i += 2) vst1q_s16((int16_t *)p + 4 * i, to_s16(x[i], x[i + 1])); }

TVMQ_INLINE void store_s32(void *p, const vec x[]) { UNROLL for (int i = 0; i < 4; i++) vst1q_s32((int32_t *)p + 4 * i, x[i]); }
