// Portable sum of two quantized tensors.
#include "kernel.h"
#include "requant.h"

// The arguments are copied because a byte that is stored could otherwise be part of them, and no loop would become vectors.
void tvmq_add_s8__c(const struct tvmq_add_args *args) {
  const struct tvmq_add_args a = *args;
  const uint8_t *const in0 = a.in[0], *const in1 = a.in[1];
  uint8_t *const out = a.out;
  if (a.planar) {
    const struct tvmq_plane p = a.plane;
    for (size_t i = 0; i < a.n; i++) {
      const int32_t sum = (int8_t)(in0[i] ^ a.flip) * p.multiplier[0] + (int8_t)(in1[i] ^ a.flip) * p.multiplier[1] + p.bias;
      out[i] = (uint8_t)tvmq_clamp(sum >> p.shift, a.min, a.max) ^ a.flip;
    }
  } else {
    for (size_t i = 0; i < a.n; i++) out[i] = (uint8_t)tvmq_add_value(&a, (int8_t)(in0[i] ^ a.flip), (int8_t)(in1[i] ^ a.flip)) ^ a.flip;
  }
}

void tvmq_add_s16__c(const struct tvmq_add_args *args) {
  const struct tvmq_add_args a = *args;
  const int16_t *const in0 = a.in[0], *const in1 = a.in[1];
  int16_t *const out = a.out;
  for (size_t i = 0; i < a.n; i++) out[i] = (int16_t)tvmq_add_value(&a, in0[i], in1[i]);
}
