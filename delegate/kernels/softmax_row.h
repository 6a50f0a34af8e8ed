// State of a row of SOFTMAX.
#pragma once

#include <stdint.h>

enum { STEP = 16 };  // exps that are converted to outputs together

struct row {
  const uint8_t *in;
  int32_t greatest, zeros, reciprocal;
  uint32_t sum;
};
