// Output stage of the product of two quantized elements, or of a squared difference, for kernels of mul.
#pragma once

#include <stdbool.h>

#include "arithmetic/mul.h"
#include "base/types.h"

// Completes arguments. The caller has set zero points, multiplier and shift in fixed point; for differences also
// `rounding` and `in_scale`; in the stage, rounding, flip, zero point and clamp. Sets each invariant of the stage
// (right_shifts, headroom, fits_int16) that holds for every product. Squares are never negative, so their reference
// rounding becomes upward. If `takes_floats` and a float form gives every product its exact result, converts
// multiplier, shift and bias to that form.
void tvmq_mul_stage(enum tvmq_type in_type, bool takes_floats, struct tvmq_mul_args *args);
