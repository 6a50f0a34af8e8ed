// Map of int16: applies a function of one element (arithmetic/word_map.h) to each.
#pragma once

#include <stddef.h>

#include "arithmetic/word_map.h"

// ---- word_map: out[i] = tvmq_word_map_value(map, in[i])
//
// The tensors are identical or do not overlap.
struct tvmq_word_map_args {
  const int16_t *in;
  int16_t *out;
  size_t n;
  const struct tvmq_word_map *map;
};
typedef void (*tvmq_word_map_fn)(const struct tvmq_word_map_args *args);
