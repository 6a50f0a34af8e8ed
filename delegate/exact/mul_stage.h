// The output stage of a product of two quantized elements or of a squared difference, in the form that a kernel of mul takes.
#pragma once

#include "kernels/kernel.h"

// Completes arguments that say what is to be computed: zero points, multiplier and shift in fixed point; difference with
// its rounding and scales; and of the stage rounding, flip, zero point and clamp. Sets the stage's promises as far as
// every product keeps them; no square is negative, so their reference rounding becomes upward. If the variant takes a
// float form and one gives every product its result, multiplier, shift and bias are in that form afterwards.
void tvmq_mul_stage(const struct tvmq_variant *variant, struct tvmq_mul_args *args);
