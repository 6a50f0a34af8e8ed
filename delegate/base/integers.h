// Integers of any type at unaligned addresses, as in a file.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/types.h"

// Returns element `i` of an array of 8-bit, 16-bit, 32-bit or 64-bit integers.
static inline int64_t tvmq_load_integer(const void *data, enum tvmq_type type, size_t i) {
  const size_t bytes = tvmq_type_bytes(type), unused = 8 * (sizeof(uint64_t) - bytes);
  uint64_t value = 0;
  memcpy(&value, (const char *)data + i * bytes, bytes);
  return type == TVMQ_TYPE_U8 ? (int64_t)value : (int64_t)(value << unused) >> unused;
}
