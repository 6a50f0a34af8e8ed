// Products of two tensors, and squares of their difference, element by element.
#pragma once

#include "arithmetic/mul.h"

// ---- mul: out[i] = requantize(bias + x * y), of a = in[0][i] and b = in[1][i % n], i < rows * n
//
// x = a - zero_point_a and y = b - zero_point_b. With `difference`, of bytes: x = y = rescale((a - zero_point_a) << 7) -
// rescale((b - zero_point_b) << 7). One input at least is rescaled by a half, and so exactly, the other by no more:
// differences fit int16. No square is negative: reference rounding is upward rounding, which is faster.
//
// Bias, multiplier and shift are those of a channel of a panel, in float form where the variant has TVMQ_FLOAT_STAGE and
// the caller has a proof for every product; else, and with `difference`, the bias is 0. int16 have zero points 0. Rows are
// whole cache lines if several; then the output may be the first input, else either.
typedef void (*tvmq_mul_fn)(const struct tvmq_mul_args *args);
