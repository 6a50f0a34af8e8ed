// SOFTMAX of bytes (arithmetic/softmax.h).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/softmax.h"

// ---- softmax: each row of `depth` bytes on its own
//
// The tensors are one, or do not overlap; they are one only where both have bytes.
struct tvmq_softmax_args {
  const void *in;
  void *out;
  size_t rows, depth;         // depth is in [1, TVMQ_SOFTMAX_MAX_DEPTH]
  uint8_t in_flip, out_flip;  // xor on each byte read or written: 0x80 for uint8 tensors
  const int32_t *exps;        // [TVMQ_SOFTMAX_EXPS], of the difference d at 255 + d; the last is 2^31 - 1
  int32_t least_difference;   // of those less than it, exps are 0 and outputs the type's least value
};
typedef void (*tvmq_softmax_fn)(const struct tvmq_softmax_args *args);
