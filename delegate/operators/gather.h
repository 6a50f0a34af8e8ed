// The indices of GATHER_ND.
#pragma once

#include "base/integers.h"
#include "operators/desc.h"

// Returns the number of the slice that an index stands for, or -1 if one of its integers is outside its dimension.
static inline int64_t tvmq_gather_slice(const struct tvmq_gather_desc *desc, const void *indices, size_t index) {
  int64_t slice = 0;
  for (size_t k = 0, depth = (size_t)desc->depth; k < depth; k++) {
    const int64_t at = tvmq_load_integer(indices, desc->index_type, index * depth + k);
    if (at < 0 || at >= desc->sizes[k]) return -1;
    slice = slice * desc->sizes[k] + at;
  }
  return slice;
}
