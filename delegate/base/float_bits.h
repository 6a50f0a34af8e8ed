// The bits of float32 as a whole number. Positive floats have the same order as their bits.
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/inline.h"

TVMQ_INLINE int32_t tvmq_float_bits(float x) {
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

TVMQ_INLINE float tvmq_float_of(int32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
