// What the two files of depthwise kernels for any Arm processor share.
#pragma once

#include "kernel.h"

// The hot loops for 3x3 (depthwise_3x3_neon.c), one output row of 16 channels; no weight is -128. False, and nothing done, if the output stage is not of the
// usual kind.
bool tvmq_depthwise_3x3s1_neon(const struct tvmq_depthwise_args *args);
bool tvmq_depthwise_3x3s2_neon(const struct tvmq_depthwise_args *args);
