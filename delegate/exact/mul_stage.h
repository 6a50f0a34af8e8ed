// The output stage of a product of two quantized elements or of a squared difference, in the form that a kernel of mul takes.
#pragma once

#include <stdbool.h>

#include "arithmetic/mul.h"
#include "base/types.h"

// Completes arguments that say what is to be computed: zero points, multiplier and shift in fixed point; difference with
// its rounding and scales; and of the stage rounding, flip, zero point and clamp. Sets the stage's promises as far as
// every product keeps them; no square is negative, so their reference rounding becomes upward. If the kernel takes a
// float form and one gives every product its result, multiplier, shift and bias are in that form afterwards.
void tvmq_mul_stage(enum tvmq_type in_type, bool takes_floats, struct tvmq_mul_args *args);
