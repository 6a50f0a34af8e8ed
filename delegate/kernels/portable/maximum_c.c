// Portable maximum and minimum of two tensors.
#include "kernels/kernel.h"

// Copies the arguments, because the compiler must assume that stored bytes alias them. Bytes are compared as unsigned,
// for which every processor with vectors has an instruction.
void tvmq_maximum_s8__c(const struct tvmq_maximum_args *args) {
  const struct tvmq_maximum_args a = *args;
  const uint8_t *const in0 = a.in[0], *const in1 = a.in[1], flip = a.flip ^ 0x80;
  uint8_t *const out = a.out;
  for (size_t i = 0; i < a.n; i++) {
    const uint8_t x = in0[i] ^ flip, y = in1[i] ^ flip;
    out[i] = (x > y ? x : y) ^ flip;
  }
}

void tvmq_maximum_s16__c(const struct tvmq_maximum_args *args) {
  const struct tvmq_maximum_args a = *args;
  const int16_t *const in0 = a.in[0], *const in1 = a.in[1], flip = (int16_t)(a.flip << 8 | a.flip);
  int16_t *const out = a.out;
  for (size_t i = 0; i < a.n; i++) {
    const int16_t x = in0[i] ^ flip, y = in1[i] ^ flip;
    out[i] = (x > y ? x : y) ^ flip;
  }
}
