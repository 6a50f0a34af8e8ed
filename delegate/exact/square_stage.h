// The output stage of a squared difference of two quantized bytes, in the form that a kernel of square takes.
#pragma once

#include "kernels/kernel.h"

// Completes arguments that say what is to be computed: rounding, zero points, scales, multiplier and shift in fixed point, and of the stage rounding, flip,
// zero point and clamp. Sets the stage's promises as far as every square keeps them; no square is negative, so reference rounding becomes upward. If the
// variant takes a float form and one gives every square its result, multiplier and shift are in that form afterwards.
void tvmq_square_stage(const struct tvmq_variant *variant, struct tvmq_square_args *args);
