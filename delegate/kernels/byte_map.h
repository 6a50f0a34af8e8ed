// Bytes through a function of a byte (arithmetic/byte_map.h).
#pragma once

#include <stddef.h>

#include "arithmetic/byte_map.h"

// ---- byte_map: out[i] = map->table[in[i]], of bytes of either type
//
// The tensors are one or do not overlap.
struct tvmq_byte_map_args {
  const void *in;
  void *out;
  size_t n;
  const struct tvmq_byte_map *map;
};
typedef void (*tvmq_byte_map_fn)(const struct tvmq_byte_map_args *args);
