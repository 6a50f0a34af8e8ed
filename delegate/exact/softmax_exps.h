// Table of exp for SOFTMAX of bytes, equal to gemmlowp's fixed-point arithmetic.
#pragma once

#include <stdint.h>

#include "arithmetic/softmax.h"

// Sets exps[255 + d] to exp(d * multiplier * 2^(shift - 31) / 2^26) in Q0.31 for d = -255 .. 0. Differences below the
// least one that the reference uses get 0; returns that least difference. multiplier, in [2^30, 2^31), and shift, in
// [0, 31], represent input scale * beta * 2^26, at most 2^31 - 1.
int32_t tvmq_softmax_exps(int32_t multiplier, int32_t shift, int32_t exps[TVMQ_SOFTMAX_EXPS]);
