// Invariants that an output stage may guarantee to its kernels (struct tvmq_stage in stage.h). Vector code paths are
// shorter if the invariants hold.
#pragma once

#include "exact/float_stage.h"

// Rewrites a channel of 8-bit outputs whose accumulator is the same for every input, because training has left it
// without weights. The multiplier becomes 1/4, and the accumulator changes so that the output stays the same.
// Converters choose scales of such channels so that biases are near 2^30 and shifts are beyond the range of short code
// paths. Other channels are left unchanged.
void tvmq_settle_constant(struct tvmq_accumulators *accumulators, enum tvmq_rounding rounding, struct tvmq_channel_params *params);

// Clears each of right_shifts, headroom and fits_int16 in *stage that a channel with these accumulators, multiplier and
// shift violates.
void tvmq_keep_invariants(const struct tvmq_accumulators *accumulators, int32_t multiplier, int32_t shift, struct tvmq_stage *stage);
