// Converts output stages to linear functions in float32, for kernels that accept panels in these forms
// (TVMQ_FLOAT_STAGE, TVMQ_FUSED_STAGE). They need a third to half of the operations of fixed point.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"

// Range of a channel's accumulator over all inputs, bias included.
struct tvmq_accumulators {
  int64_t lo, hi;
};

// Converts the `n` channels of a panel, at most TVMQ_MAX_NR, to a form: that of tvmq_float_value() or of
// tvmq_fused_value() (stage.h). Converts only if the clamped results equal those of tvmq_stage_s32() for each channel
// and every accumulator. Otherwise returns false and leaves the channels unchanged. Outputs are int8.
//
// The linear function and the reference are both non-decreasing in the accumulator. So they are compared where the
// reference changes: at the least accumulator of each output value, and at the accumulator before. Both ends are
// compared too. Steps are skipped if a bound shows that none of them can fail. The same places bound the intercept for
// a given slope, in double. The middle of the bounds is tried, for slopes next to the real one.
bool tvmq_float_panel(enum tvmq_form form, const struct tvmq_stage *stage, const struct tvmq_accumulators *accumulators, struct tvmq_channel_params *params,
                      size_t n);
