// The way of computing a convolution line by line of the image, with kernels that want the rows of A a constant distance apart (conv.h).
#pragma once

#include "cpu/ops/conv/conv.h"

extern const struct tvmq_conv_way tvmq_conv_direct;
