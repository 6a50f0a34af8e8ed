// A row of SOFTMAX.
#pragma once

#include <stdint.h>

enum { STEP = 16 };  // exps are finished so many at a time

struct row {
  const uint8_t *in;
  int32_t greatest, zeros, reciprocal;
  uint32_t sum;
};
