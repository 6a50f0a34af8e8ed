// Shared by the files of depthwise kernels for any Arm processor.
#pragma once

#include "kernels/kernel.h"

// Run the hot loops for 3x3 and 5x5 with stride 1 or 2 along a row, and for filters of one column with stride 1 down and
// at least four rows (depthwise_loops_neon.c). No two weights of a channel may be -128. Return false, without computing
// anything, if the call is not supported.
bool tvmq_depthwise_3x3_neon(const struct tvmq_depthwise_args *args);
bool tvmq_depthwise_5x5_neon(const struct tvmq_depthwise_args *args);
bool tvmq_depthwise_column_neon(const struct tvmq_depthwise_args *args);
