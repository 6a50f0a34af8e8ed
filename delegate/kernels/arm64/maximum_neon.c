// Maximum and minimum of two tensors on any Arm processor.
#include <arm_neon.h>
#include <stdint.h>

#include "base/inline.h"

#define ISA neon

typedef int8x16_t vec;

TVMQ_INLINE vec every(uint8_t x) { return vdupq_n_s8((int8_t)x); }
TVMQ_INLINE vec load(const uint8_t *p) { return vreinterpretq_s8_u8(vld1q_u8(p)); }
TVMQ_INLINE void store(uint8_t *p, vec x) { vst1q_u8(p, vreinterpretq_u8_s8(x)); }
TVMQ_INLINE vec exclusive(vec a, vec b) { return veorq_s8(a, b); }
TVMQ_INLINE vec greater_s8(vec a, vec b) { return vmaxq_s8(a, b); }
TVMQ_INLINE vec greater_s16(vec a, vec b) { return vreinterpretq_s8_s16(vmaxq_s16(vreinterpretq_s16_s8(a), vreinterpretq_s16_s8(b))); }

#include "kernels/maximum_template.h"
