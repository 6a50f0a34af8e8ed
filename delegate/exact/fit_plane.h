// Whether the 32-bit formula of arithmetic/plane.h gives the reference's sum or difference of two bytes.
#pragma once

#include <stdbool.h>

#include "arithmetic/add.h"

// `sum` says what is to be computed, of int8: signs, zero points, scales, rounding and clamp. Sets *plane to parameters that, clamped, give just that for each
// of the 65,536 pairs; looked at are all that lie near a step of the output, where rounding may decide. Exceptions are listed only where there is no plane
// without any, and a plane has a drop only where none without one is found. False: there are none near the obvious ones; *plane is then of no use.
bool tvmq_fit_plane(const struct tvmq_add_args *sum, struct tvmq_plane *plane);
