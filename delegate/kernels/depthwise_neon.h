// What the two files of depthwise kernels for any Arm processor share.
#pragma once

#include "kernel.h"

// The hot loops for 3x3 and 5x5 (depthwise_3x3_neon.c, depthwise_5x5_neon.c), stride 1 or 2 along a row; no two weights of a channel are -128. False, and
// nothing done, if the call is not of the usual kind.
bool tvmq_depthwise_3x3_neon(const struct tvmq_depthwise_args *args);
bool tvmq_depthwise_5x5_neon(const struct tvmq_depthwise_args *args);
// Filters of one column, stride 1 down, four rows or more; and one output pixel, whatever its window.
bool tvmq_depthwise_column_neon(const struct tvmq_depthwise_args *args);
bool tvmq_depthwise_pixel_neon(const struct tvmq_depthwise_args *args);
