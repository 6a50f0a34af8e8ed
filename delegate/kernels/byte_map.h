// Map of bytes: applies a function of one byte (arithmetic/byte_map.h) to each element.
#pragma once

#include <stddef.h>

#include "arithmetic/byte_map.h"

// ---- byte_map: out[i] = map->table[in[i]]; elements are int8 or uint8
//
// The tensors are identical or do not overlap.
struct tvmq_byte_map_args {
  const void *in;
  void *out;
  size_t n;
  const struct tvmq_byte_map *map;
};
typedef void (*tvmq_byte_map_fn)(const struct tvmq_byte_map_args *args);
