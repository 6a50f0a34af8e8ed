// The dimensions of a reduction: those of a tensor, neighbours that fare alike as one, kept and reduced in turn.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/rescaled_sum.h"
#include "base/shape.h"
#include "operators/desc.h"

// Merges the dimensions of `shape`, which may be 0. The product of all must fit int32; NULL, or why not (static string).
const char *tvmq_reduction_merge(const struct tvmq_shape *shape, const bool *reduced, struct tvmq_reduce_desc *desc);

// Elements that become one, and elements that come of it.
int32_t tvmq_reduction_count(const struct tvmq_reduce_desc *desc);
int32_t tvmq_reduction_outputs(const struct tvmq_reduce_desc *desc);

static inline bool tvmq_reduction_is_sum(const struct tvmq_reduce_desc *desc) {
  return desc->reduction == TVMQ_REDUCTION_MEAN || desc->reduction == TVMQ_REDUCTION_SUM;
}

// The factor of sums less count x zero point: for MEAN input / output scale / count, which is positive and fits int32. The multiplier may be
// below 2^30.
void tvmq_reduction_scale(const struct tvmq_reduce_desc *desc, int32_t *multiplier, int32_t *shift);

// How the sums of a MEAN or SUM of integers become its results.
struct tvmq_rescaled_sum tvmq_reduction_rescaled(const struct tvmq_reduce_desc *desc, enum tvmq_rounding rounding);
