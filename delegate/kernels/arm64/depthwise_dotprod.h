// Shared by the two files of depthwise kernels with dot products.
#pragma once

#include "kernels/kernel.h"

// Run the hot loops for 3x3 (depthwise_3x3_dotprod.c). Return false, without computing anything, if the output stage or
// the planes are not supported.
bool tvmq_depthwise_3x3s1_dotprod(const struct tvmq_depthwise_args *args);
bool tvmq_depthwise_3x3s2_dotprod(const struct tvmq_depthwise_args *args);
