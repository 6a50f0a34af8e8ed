// Portable product of two quantized tensors, or square of their difference.
#include "arithmetic/stage.h"
#include "base/inline.h"
#include "kernels/kernel.h"

// Copies the arguments, because the compiler must assume that stored bytes alias them.
TVMQ_INLINE void multiply(const struct tvmq_mul_args *args, bool difference) {
  const struct tvmq_mul_args a = *args;
  const uint8_t *const in0 = a.in[0], *const in1 = a.in[1], flip = a.stage.flip;
  uint8_t *const out = a.out;
  for (size_t row = 0; row < a.rows * a.n; row += a.n) {
    for (size_t i = 0; i < a.n; i++) {
      const int32_t x = (int8_t)(in0[row + i] ^ flip), y = (int8_t)(in1[i] ^ flip), d = difference ? tvmq_difference(&a, x, y) : 0;
      const int32_t product = difference ? d * d : (x - a.in_zero_point[0]) * (y - a.in_zero_point[1]);
      out[row + i] = (uint8_t)tvmq_stage_s32(&a.stage, product, a.multiplier, a.shift) ^ flip;
    }
  }
}

void tvmq_mul_s8__c(const struct tvmq_mul_args *args) {
  if (args->difference)
    multiply(args, true);
  else
    multiply(args, false);
}

void tvmq_mul_s16__c(const struct tvmq_mul_args *args) {
  const struct tvmq_mul_args a = *args;
  const int16_t *const in0 = a.in[0], *const in1 = a.in[1];
  int16_t *const out = a.out;
  for (size_t row = 0; row < a.rows * a.n; row += a.n) {
    for (size_t i = 0; i < a.n; i++) out[row + i] = (int16_t)tvmq_stage_s32(&a.stage, in0[row + i] * in1[i], a.multiplier, a.shift);
  }
}
