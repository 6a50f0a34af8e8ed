// Compares bytes of two quantizations, as the reference does: rescaled to one scale, in fixed point.
#pragma once

#include <stdint.h>

#include "arithmetic/stage.h"
#include "base/types.h"
#include "operators/desc.h"

// Returns the scale of one input as the reference has it.
struct tvmq_scale tvmq_comparison_scale(float scale);

// Sets ranks[i][x] for each byte x of input i, so that ranks compare as the rescaled bytes do.
void tvmq_comparison_ranks(const struct tvmq_condition_desc *desc, enum tvmq_rounding rounding, int32_t ranks[2][TVMQ_N_BYTES]);
