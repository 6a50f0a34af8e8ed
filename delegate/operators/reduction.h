// Merges the dimensions of a reduction: adjacent dimensions that are all kept or all reduced become one. Kept and
// reduced dimensions then alternate.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/rescaled_sum.h"
#include "base/shape.h"
#include "operators/desc.h"

// Merges the dimensions of `shape`; dimensions may be 0. Returns NULL, or the reason (static string) if the product of
// all dimensions does not fit int32.
const char *tvmq_reduction_merge(const struct tvmq_shape *shape, const bool *reduced, struct tvmq_reduce_desc *desc);

// Return the number of elements reduced to one output, and the number of outputs.
int32_t tvmq_reduction_count(const struct tvmq_reduce_desc *desc);
int32_t tvmq_reduction_outputs(const struct tvmq_reduce_desc *desc);

static inline bool tvmq_reduction_is_sum(const struct tvmq_reduce_desc *desc) {
  return desc->reduction == TVMQ_REDUCTION_MEAN || desc->reduction == TVMQ_REDUCTION_SUM;
}

// Computes the factor of (sum - count * zero point). For MEAN it is input scale / output scale / count; the count is
// positive and fits int32. The multiplier may be below 2^30.
void tvmq_reduction_scale(const struct tvmq_reduce_desc *desc, int32_t *multiplier, int32_t *shift);

// Returns the rescaling of sums to results, for MEAN and SUM of integers.
struct tvmq_rescaled_sum tvmq_reduction_rescaled(const struct tvmq_reduce_desc *desc, enum tvmq_rounding rounding);
