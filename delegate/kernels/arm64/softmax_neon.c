// SOFTMAX of bytes on any Arm processor.
#include <arm_neon.h>
#include <stddef.h>

#include "base/inline.h"

#define ISA neon
enum { LANES = 4 };

TVMQ_INLINE uint8_t greatest(const uint8_t *row, size_t n, uint8_t to_unsigned) {
  enum { BYTES = 16 };
  uint8_t most = 0;
  if (n < BYTES) {
    for (size_t i = 0; i < n; i++) most = (row[i] ^ to_unsigned) > most ? row[i] ^ to_unsigned : most;
    return most;
  }
  const uint8x16_t flip = vdupq_n_u8(to_unsigned);
  uint8x16_t greatest = veorq_u8(vld1q_u8(row + n - BYTES), flip);
  for (size_t i = 0; i + BYTES < n; i += BYTES) greatest = vmaxq_u8(greatest, veorq_u8(vld1q_u8(row + i), flip));
  return vmaxvq_u8(greatest);
}

#include "kernels/softmax_lookup.h"
#include "kernels/softmax_template.h"

TVMQ_INLINE lanes high_product(lanes a, lanes b) { return (lanes)vqrdmulhq_s32((int32x4_t)a, (int32x4_t)b); }

TVMQ_INLINE int32_t total(lanes x) { return vaddvq_s32((int32x4_t)x); }

TVMQ_INLINE void outputs(const int32_t *exps, int32_t r, int32_t shift, uint8_t flip, uint8_t *out) {
  const int32x4_t by = vdupq_n_s32(-shift);
  int32x4_t value[4];
  UNROLL for (int i = 0; i < 4; i++) value[i] = vrshlq_s32(vqrdmulhq_n_s32(vld1q_s32(exps + 4 * i), r), by);
  const uint16x8_t low = vqmovun_high_s32(vqmovun_s32(value[0]), value[1]), high = vqmovun_high_s32(vqmovun_s32(value[2]), value[3]);
  vst1q_u8(out, veorq_u8(vqmovn_high_u16(vqmovn_u16(low), high), vdupq_n_u8(flip)));
}
