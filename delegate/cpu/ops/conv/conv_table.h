// Algorithms with kernels that take pointers to the rows of A (conv.h).
#pragma once

#include "cpu/ops/conv/conv.h"

extern const struct tvmq_conv_algorithm tvmq_conv_by_table, tvmq_conv_by_im2col;
