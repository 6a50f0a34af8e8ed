// ARG_MAX of contiguous bytes on any Arm processor.
#include <arm_neon.h>
#include <stdint.h>

#include "base/inline.h"

#define ISA neon

typedef uint8x16_t vec;

TVMQ_INLINE vec every(uint8_t x) { return vdupq_n_u8(x); }
TVMQ_INLINE vec load(const uint8_t *p) { return vld1q_u8(p); }
TVMQ_INLINE vec exclusive(vec a, vec b) { return veorq_u8(a, b); }
TVMQ_INLINE vec equal(vec a, vec b) { return vceqq_u8(a, b); }
TVMQ_INLINE vec either(vec a, vec b) { return vornq_u8(a, b); }
TVMQ_INLINE vec plus(vec a, vec b) { return vaddq_u8(a, b); }
TVMQ_INLINE vec lesser(vec a, vec b) { return vminq_u8(a, b); }
TVMQ_INLINE uint8_t least(vec x) { return vminvq_u8(x); }

#include "kernels/arg_max_template.h"
