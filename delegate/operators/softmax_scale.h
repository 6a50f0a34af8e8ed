// Computes the fixed-point scale of SOFTMAX. SOFTMAX multiplies the difference between each element and the greatest
// element by this scale, then applies exp.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "operators/desc.h"

enum { TVMQ_SOFTMAX_S16_MAX_DEPTH = 65536 };  // int16: sums of 65536 elements fit int32

// Converts beta * input scale to fixed point. For bytes, the products are Q5.26, so the shift is a left shift. For
// int16, the products index a table for the range -10 to 0. Returns false if the scale is out of range.
bool tvmq_softmax_scale(const struct tvmq_softmax_desc *desc, int32_t *multiplier, int32_t *shift);
