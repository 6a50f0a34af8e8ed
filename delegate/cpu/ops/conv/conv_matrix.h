// Algorithms with kernels that need rows of A at a constant distance (conv.h).
#pragma once

#include "cpu/ops/conv/conv.h"

extern const struct tvmq_conv_algorithm tvmq_conv_by_matrix, tvmq_conv_by_padding, tvmq_conv_by_matrix_im2col;
