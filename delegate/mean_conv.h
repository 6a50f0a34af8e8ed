// MEAN as a convolution.
#pragma once

#include <stdint.h>

#include "desc.h"

// The DEPTHWISE_CONV_2D that computes `desc`, but for its filter: a window of ones as large as the input, in the type of the input.
struct tvmq_conv_desc tvmq_mean_conv(const struct tvmq_mean_desc *desc);
