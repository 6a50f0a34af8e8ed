// Products of two tensors, and squares of their difference, element by element.
#pragma once

#include "arithmetic/mul.h"

// ---- mul: out[i] = requantize(bias + x * y), i < rows * n, with a = in[0][i] and b = in[1][i % n]
//
// x = a - zero_point_a and y = b - zero_point_b. With `difference`, only 8-bit: x = y = rescale((a - zero_point_a) <<
// 7) - rescale((b - zero_point_b) << 7). At least one input is rescaled by exactly a half, the other by at most a half,
// so differences fit int16. Squares are never negative, so upward rounding, which is faster, replaces reference
// rounding.
//
// Bias, multiplier and shift have the format of one channel of a panel. They are in float form if the variant has
// TVMQ_FLOAT_STAGE and the caller has proven every product exact. Otherwise, and with `difference`, the bias is 0.
// int16 tensors have zero points 0. If there are several rows, each fills whole cache lines, and the output may be the
// first input only; else it may be either.
typedef void (*tvmq_mul_fn)(const struct tvmq_mul_args *args);
