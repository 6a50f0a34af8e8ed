// Where RESIZE_BILINEAR finds an output along one axis: between two inputs, with integer weights that add up to a power of two.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/interpolate.h"
#include "ops/desc.h"

// The shift of the weights of an axis, `in` inputs and `out` outputs long: 10 for signed types, as the reference's; uint8 is interpolated in float32 there,
// which is exact, and the same in whatever order, where all weights are multiples of 2^-shift and the sizes of those of both axes take no more than 16 bits
// together (claim_resize_bilinear.c). -1:
// they are not, or the reference reads past the input.
int32_t tvmq_resize_shift(const struct tvmq_resize_desc *desc, int32_t in, int32_t out);

// Output `i` of an axis with that shift.
struct tvmq_between tvmq_resize_at(const struct tvmq_resize_desc *desc, int32_t in, int32_t out, int32_t shift, int32_t i);
