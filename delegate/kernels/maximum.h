// The greater or the lesser of two tensors, element by element.
#pragma once

#include <stddef.h>
#include <stdint.h>

// ---- maximum: out[i] = max(a ^ flip, b ^ flip) ^ flip, a = in[0][i], b = in[1][i]; signed, flip applies to every byte
//
// flip 0xff gives the minimum. flip 0x80 and 0x7f give the maximum and minimum of uint8 tensors. The inputs may be the
// same tensor, and the output may be an input.
struct tvmq_maximum_args {
  const void *in[2];
  void *out;
  size_t n;
  uint8_t flip;  // int16: 0 or 0xff
};
typedef void (*tvmq_maximum_fn)(const struct tvmq_maximum_args *args);
