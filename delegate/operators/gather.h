// The slices of GATHER and GATHER_ND.
#pragma once

#include "base/integers.h"
#include "operators/desc.h"

// Returns the number of output slice `i` in the input, or -1 if an integer of its index is outside the dimension.
static inline int64_t tvmq_gather_slice(const struct tvmq_gather_desc *desc, const void *indices, size_t i) {
  const size_t n = (size_t)desc->n, depth = (size_t)desc->depth;
  int64_t slice = (int64_t)(i / n);
  for (size_t k = 0; k < depth; k++) {
    const int64_t at = tvmq_load_integer(indices, desc->index_type, i % n * depth + k);
    if (at < 0 || at >= desc->sizes[k]) return -1;
    slice = slice * desc->sizes[k] + at;
  }
  return slice;
}
