// Row sums without dot products: bytes added in pairs to 16 bits, these in pairs to 32. Reads: 16 bytes at a time, then 8, then single ones.
#include <arm_neon.h>

#include "kernel.h"

static uint32_t sum_bytes(const uint8_t *x, size_t n, uint8_t mask) {
  const uint8x16_t flip = vdupq_n_u8(mask);
  uint32x4_t sums0 = vdupq_n_u32(0), sums1 = sums0;
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    sums0 = vpadalq_u16(sums0, vpaddlq_u8(veorq_u8(vld1q_u8(x + i), flip)));
    sums1 = vpadalq_u16(sums1, vpaddlq_u8(veorq_u8(vld1q_u8(x + i + 16), flip)));
  }
  if (i + 16 <= n) {
    sums0 = vpadalq_u16(sums0, vpaddlq_u8(veorq_u8(vld1q_u8(x + i), flip)));
    i += 16;
  }
  uint32_t sum = vaddvq_u32(vaddq_u32(sums0, sums1));
  if (i + 8 <= n) {
    sum += vaddlv_u8(veor_u8(vld1_u8(x + i), vget_low_u8(flip)));
    i += 8;
  }
  for (; i < n; i++) sum += x[i] ^ mask;
  return sum;
}

void tvmq_row_sums__neon(const struct tvmq_row_sums_args *args) {
  for (size_t m = 0; m < args->n; m++) {
    const void *const *row = args->rows + m / args->mr * args->n_taps * args->mr + m % args->mr;
    uint32_t sum = 0;
    for (size_t t = 0; t < args->n_taps; t++) sum += sum_bytes(row[t * args->mr], args->k, args->mask);
    args->terms[m] = (int32_t)((sum - (uint32_t)args->offset) * (uint32_t)args->factor);
  }
}
