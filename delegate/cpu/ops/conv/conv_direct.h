// Algorithm "direct" (conv.h): computes a convolution line by line of the image, with kernels that need rows of A at a
// constant distance.
#pragma once

#include "cpu/ops/conv/conv.h"

extern const struct tvmq_conv_algorithm tvmq_conv_direct;
