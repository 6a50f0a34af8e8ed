// Finds parameters with which the 32-bit formula of arithmetic/plane.h gives the reference's sum or difference of two
// bytes.
#pragma once

#include <stdbool.h>

#include "arithmetic/add.h"

// Sets *plane to parameters whose clamped results equal the reference for each of the 65,536 pairs of int8. `sum`
// describes the reference: signs, zero points, scales, rounding and clamp. Only pairs near a step of the output are
// examined, because there rounding may decide. A plane has exceptions only if no plane without exceptions is found, and
// a drop only if no plane without a drop is found. Returns false if there are no parameters near the rounded real ones;
// *plane is then undefined.
bool tvmq_fit_plane(const struct tvmq_add_args *sum, struct tvmq_plane *plane);
