// The promises that an output stage may make to its kernels (struct tvmq_stage in kernel.h): vector paths are shorter where they hold.
#pragma once

#include "exact/float_stage.h"

// Takes back what the stage promises of right_shifts, headroom and fits_int16 where a channel of these accumulators, multiplier and shift does not keep it.
void tvmq_keep_promises(const struct tvmq_accumulators *accumulators, int32_t multiplier, int32_t shift, struct tvmq_stage *stage);
