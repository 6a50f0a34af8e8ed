// The output stage as a line in float32, for kernels that take a panel in that form (TVMQ_FLOAT_STAGE, TVMQ_FUSED_STAGE): a third to half of the operations of
// fixed point.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"

// The range of a channel's accumulator over all inputs, bias included.
struct tvmq_accumulators {
  int64_t lo, hi;
};

// Gives the `n` channels of a panel, at most TVMQ_MAX_NR, the form, which is that of tvmq_float_value() or tvmq_fused_value() in stage.h, if for each of them
// and every accumulator the clamped results are those of tvmq_stage_s32(); else returns false and leaves them as they are. Outputs are int8.
//
// Neither function falls as the accumulator grows, so they are compared where the reference changes, at the least accumulator of each code and the one before,
// unless others are sure to fail sooner, and at both ends. The same places bound the intercept for a given slope, in double: what is tried is the middle, for
// the slopes next to the real one.
bool tvmq_float_panel(enum tvmq_form form, const struct tvmq_stage *stage, const struct tvmq_accumulators *accumulators, struct tvmq_channel_params *params,
                      size_t n);
