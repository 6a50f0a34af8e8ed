// Portable squared difference of two quantized tensors.
#include "kernels/kernel.h"
#include "kernels/stage.h"

// The arguments are copied because a byte that is stored could otherwise be part of them.
void tvmq_square__c(const struct tvmq_square_args *args) {
  const struct tvmq_square_args a = *args;
  const uint8_t *const in0 = a.in[0], *const in1 = a.in[1], flip = a.stage.flip;
  uint8_t *const out = a.out;
  for (size_t row = 0; row < a.rows * a.n; row += a.n) {
    for (size_t i = 0; i < a.n; i++) {
      const int32_t difference = tvmq_difference(&a, (int8_t)(in0[row + i] ^ flip), (int8_t)(in1[i] ^ flip));
      out[row + i] = (uint8_t)tvmq_stage_s32(&a.stage, difference * difference, a.multiplier, a.shift) ^ flip;
    }
  }
}
