// ARG_MAX of bytes along the innermost axis, whose elements are contiguous.
#pragma once

#include <stddef.h>
#include <stdint.h>

// ---- arg_max: found[i] = the first k at which in[i * depth + k] ^ flip, as uint8, is the maximum of row i
struct tvmq_arg_max_args {
  const uint8_t *in;
  size_t rows, depth;  // depth is at least 1 and at most INT32_MAX
  uint8_t flip;        // 0x80 for int8 tensors
  int32_t *found;      // [rows]
};
typedef void (*tvmq_arg_max_fn)(const struct tvmq_arg_max_args *args);
