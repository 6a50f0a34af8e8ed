// Portable sum or difference of two quantized tensors.
#include "arithmetic/stage.h"
#include "kernels/kernel.h"

static inline int32_t plane_value(const struct tvmq_add_args *args, int32_t n_exceptions, int32_t a, int32_t b) {
  const struct tvmq_plane *p = &args->plane;
  for (int32_t e = 0; e < n_exceptions; e++) {
    if (a == p->exceptions[e].in[0] && b == p->exceptions[e].in[1]) return p->exceptions[e].value;
  }
  const int32_t sum = a * p->multiplier[0] + b * p->multiplier[1] + p->bias;
  return tvmq_clamp((sum - (sum < p->knee ? p->drop : 0)) >> p->shift, args->min, args->max);
}

// The arguments are copied because a byte that is stored could otherwise be part of them, and no loop would become vectors.
void tvmq_add_s8__c(const struct tvmq_add_args *args) {
  const struct tvmq_add_args a = *args;
  const uint8_t *const in0 = a.in[0], *const in1 = a.in[1];
  uint8_t *const out = a.out;
  if (a.planar && a.plane.n_exceptions == 0) {
    for (size_t i = 0; i < a.n; i++) out[i] = (uint8_t)plane_value(&a, 0, (int8_t)(in0[i] ^ a.flip), (int8_t)(in1[i] ^ a.flip)) ^ a.flip;
  } else if (a.planar) {
    for (size_t i = 0; i < a.n; i++) out[i] = (uint8_t)plane_value(&a, a.plane.n_exceptions, (int8_t)(in0[i] ^ a.flip), (int8_t)(in1[i] ^ a.flip)) ^ a.flip;
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
