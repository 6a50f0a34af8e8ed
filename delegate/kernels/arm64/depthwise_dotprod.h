// Shared by the two files of depthwise kernels with dot products.
#pragma once

#include "kernels/kernel.h"

// Computes 3x3 at stride 1 or 2 (depthwise_3x3_dotprod.c). Returns false, without computing anything, if the output stage
// or the planes are not supported.
bool tvmq_depthwise_3x3_dotprod(const struct tvmq_depthwise_args *args);
