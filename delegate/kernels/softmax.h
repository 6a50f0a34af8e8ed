// SOFTMAX of bytes (arithmetic/softmax.h).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/softmax.h"

// ---- softmax: the SOFTMAX of each row of `depth` bytes
//
// The tensors do not overlap. If both have bytes, they may also be identical.
struct tvmq_softmax_args {
  const void *in;
  void *out;
  size_t rows, depth;         // depth is in [1, TVMQ_SOFTMAX_MAX_DEPTH]
  uint8_t in_flip, out_flip;  // xor on each byte read or written: 0x80 for uint8 tensors
  const int32_t *exps;        // [TVMQ_SOFTMAX_EXPS]: the exp of difference d is at 255 + d; the last is 2^31 - 1
  int32_t least_difference;   // for smaller differences, exps are 0 and outputs are the type's minimum
};
typedef void (*tvmq_softmax_fn)(const struct tvmq_softmax_args *args);
