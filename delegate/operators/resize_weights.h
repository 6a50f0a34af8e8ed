// Positions of RESIZE_BILINEAR along one axis: each output lies between two inputs. Their integer weights add up to a
// power of two.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arithmetic/between.h"
#include "operators/desc.h"

// The shift of the weights of an axis of `in` inputs and `out` outputs: weights are whole multiples of 2^-shift.
// - Signed types: 10, as in the reference.
// - uint8: the least one that makes all weights whole. The reference interpolates in float32, which is exact, in any order of operations, if
//   bits(rows) + bits(columns) <= 16, where bits is the shift, plus 1 if half_pixel_centers enlarges the axis (claim_resize_bilinear.c).
// Returns -1 if no shift up to 16 does, or if the reference reads past the end of the input.
int32_t tvmq_resize_shift(const struct tvmq_resize_desc *desc, int32_t in, int32_t out);

// Returns the inputs and weights of output `i`, with the shift from tvmq_resize_shift().
struct tvmq_between tvmq_resize_at(const struct tvmq_resize_desc *desc, int32_t in, int32_t out, int32_t shift, int32_t i);
