// Whole operators in exact arithmetic, from a description alone.
#pragma once

#include <stdbool.h>

#include "kernels/kernel.h"
#include "ops/desc.h"

// Output size along one axis, 0 if there is none, and the padding before it.
int32_t oracle_out_size(enum tvmq_padding padding, int64_t in, int64_t filter, int64_t stride, int64_t dilation, int64_t *before);

// Convolution of `in` into `out`; the description is one that can be computed.
void oracle_conv(const struct tvmq_conv_desc *desc, enum tvmq_rounding rounding, const void *in, void *out);
