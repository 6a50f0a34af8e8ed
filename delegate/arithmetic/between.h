// A point between two inputs of a linear interpolation.
#pragma once

#include <stdint.h>

struct tvmq_between {
  int32_t at[2];       // inputs
  int32_t weights[2];  // together 2^shift; one may be negative or exceed it where an output lies before the first input
};
