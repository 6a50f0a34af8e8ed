// The common part of the two files of depthwise kernels by dot products.
#pragma once

#include "kernels/kernel.h"

// The hot loops for 3x3 (depthwise_3x3_dotprod.c). False, and nothing done, if the output stage or the planes are not of the usual kind.
bool tvmq_depthwise_3x3s1_dotprod(const struct tvmq_depthwise_args *args);
bool tvmq_depthwise_3x3s2_dotprod(const struct tvmq_depthwise_args *args);
