// SOFTMAX multiplies each difference to the greatest element by a fixed-point scale before it takes the exponential function.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "operators/desc.h"

enum { TVMQ_SOFTMAX_S16_MAX_DEPTH = 65536 };  // of int16: their sums fit int32

// beta x input scale as fixed point: of bytes to Q5.26, which is a shift to the left; of int16 to the range of a table, -10 to 0. False: it is out of range.
bool tvmq_softmax_scale(const struct tvmq_softmax_desc *desc, int32_t *multiplier, int32_t *shift);
