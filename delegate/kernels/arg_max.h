// ARG_MAX of bytes along the axis whose elements lie side by side.
#pragma once

#include <stddef.h>
#include <stdint.h>

// ---- arg_max: found[i] = the least k for which in[i * depth + k] ^ flip is the greatest of row i, bytes as unsigned
struct tvmq_arg_max_args {
  const uint8_t *in;
  size_t rows, depth;  // depth is at least 1 and at most INT32_MAX
  uint8_t flip;        // 0x80 for int8 tensors
  int32_t *found;      // [rows]
};
typedef void (*tvmq_arg_max_fn)(const struct tvmq_arg_max_args *args);
