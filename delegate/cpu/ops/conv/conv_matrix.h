// Ways of computing a convolution with kernels that want the rows of A a constant distance apart (conv.h).
#pragma once

#include "cpu/ops/conv/conv.h"

extern const struct tvmq_conv_way tvmq_conv_by_matrix, tvmq_conv_by_padding, tvmq_conv_by_matrix_im2col;
