// The greater or the lesser of two tensors, element by element.
#pragma once

#include <stddef.h>
#include <stdint.h>

// ---- maximum: out[i] = the greater of a ^ flip and b ^ flip, ^ flip; a = in[0][i] and b = in[1][i], all signed, flip for every byte
//
// A flip of 0xff makes it the minimum; uint8 tensors are int8 by 0x80 more, modulo 256. The inputs may be one tensor, and the output one of them.
struct tvmq_maximum_args {
  const void *in[2];
  void *out;
  size_t n;
  uint8_t flip;  // int16: 0 or 0xff
};
typedef void (*tvmq_maximum_fn)(const struct tvmq_maximum_args *args);
