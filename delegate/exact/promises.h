// The promises that an output stage may make to its kernels (struct tvmq_stage in stage.h): vector paths are shorter where they hold.
#pragma once

#include "exact/float_stage.h"

// Gives a channel of bytes whose accumulator is the same for every input, since training has left it without weights, a quarter for a multiplier, and an
// accumulator by which the output stays what it was. Converters choose such channels' scales so that biases are near 2^30, and shifts beyond what short paths
// take. Nothing is changed of others.
void tvmq_settle_constant(struct tvmq_accumulators *accumulators, enum tvmq_rounding rounding, struct tvmq_channel_params *params);

// Takes back what the stage promises of right_shifts, headroom and fits_int16 where a channel of these accumulators, multiplier and shift does not keep it.
void tvmq_keep_promises(const struct tvmq_accumulators *accumulators, int32_t multiplier, int32_t shift, struct tvmq_stage *stage);
