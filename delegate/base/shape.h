// The shape of a tensor.
#pragma once

#include <stddef.h>

enum { TVMQ_MAX_RANK = 8 };

struct tvmq_shape {
  int rank;
  int dims[TVMQ_MAX_RANK];
  size_t bytes;  // of the whole tensor
};
