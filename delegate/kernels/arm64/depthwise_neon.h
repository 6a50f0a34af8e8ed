// The common part of the two files of depthwise kernels for any Arm processor.
#pragma once

#include "kernels/kernel.h"

// The hot loops for 3x3 and 5x5 (depthwise_3x3_neon.c, depthwise_5x5_neon.c), stride 1 or 2 along a row, and for filters of one column
// (depthwise_column_neon.c), stride 1 down and four rows or more; no two weights of a channel are -128. False, and nothing done, if the call is not of the
// usual kind.
bool tvmq_depthwise_3x3_neon(const struct tvmq_depthwise_args *args);
bool tvmq_depthwise_5x5_neon(const struct tvmq_depthwise_args *args);
bool tvmq_depthwise_column_neon(const struct tvmq_depthwise_args *args);
