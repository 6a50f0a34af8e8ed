// Sums and differences of two tensors.
#pragma once

#include "arithmetic/add.h"

// ---- add: out[i] = clamp(rescale(rescale((a - zero_point_a) << left_shift) + rescale((b - zero_point_b) << left_shift)) + out_zero_point), a = in[0][i] and
// b = in[1][i]; of an input that is lone, the element of i's row
//
// One of the inputs may be subtracted: its rescaled value is. The inputs may be one tensor; the output overlaps neither. in[0] is that of the greater scale,
// which is rescaled by a half and so exactly. int16 have zero points 0. For bytes the caller may have found a plane that gives the same for every pair; what
// the steps need is then not looked at.
typedef void (*tvmq_add_fn)(const struct tvmq_add_args *args);
