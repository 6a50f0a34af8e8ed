// The shape of a tensor.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { TVMQ_MAX_RANK = 8 };

struct tvmq_shape {
  int rank;
  int dims[TVMQ_MAX_RANK];
  size_t bytes;  // size of the whole tensor
};

// Returns whether the shape has these dimensions.
static inline bool tvmq_shape_has_dims(const struct tvmq_shape *shape, int rank, const int *dims) {
  return shape->rank == rank && memcmp(shape->dims, dims, (size_t)rank * sizeof dims[0]) == 0;
}
