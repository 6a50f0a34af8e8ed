// The exps of a SOFTMAX of bytes, as gemmlowp's fixed-point arithmetic has them.
#pragma once

#include <stdint.h>

#include "arithmetic/softmax.h"

// Sets exps[255 + d] to exp(d * multiplier * 2^(shift - 31) / 2^26) as Q0.31 for d = -255 .. 0, and to 0 below the least difference that the reference looks
// at, which it returns. multiplier in [2^30, 2^31) and shift in [0, 31] are the input's scale times beta and 2^26, at most 2^31 - 1.
int32_t tvmq_softmax_exps(int32_t multiplier, int32_t shift, int32_t exps[TVMQ_SOFTMAX_EXPS]);
