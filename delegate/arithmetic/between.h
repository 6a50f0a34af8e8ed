// Point between two inputs of a linear interpolation.
#pragma once

#include <stdint.h>

struct tvmq_between {
  int32_t at[2];       // indices of the two inputs
  int32_t weights[2];  // their sum is 2^shift; if the output lies before the first input, one is negative and the other exceeds 2^shift
};
