// Whole operators in exact arithmetic, from a description alone.
#pragma once

#include <stdbool.h>

#include "kernels/kernel.h"
#include "operators/desc.h"

// Output size along one axis, 0 if there is none, and the padding before it.
int32_t oracle_out_size(enum tvmq_padding padding, int64_t in, int64_t filter, int64_t stride, int64_t dilation, int64_t *before);

// Convolution of `in` into `out`; the description is one that can be computed.
void oracle_conv(const struct tvmq_conv_desc *desc, enum tvmq_rounding rounding, const void *in, void *out);

// How a convolution's sums become codes of output channel `o`, by its activation and its bias.
struct oracle_stage {
  enum tvmq_rounding rounding;
  bool wide, in_float64;  // accumulators of 64 bits; sums are scaled in float64
  double real;            // the multiplier itself, and in fixed point
  int32_t multiplier, shift;
  int64_t bias;
  int32_t zero_point, min, max;
};
struct oracle_stage oracle_stage(const struct tvmq_conv_desc *desc, enum tvmq_rounding rounding, int32_t o);
int32_t oracle_code(const struct oracle_stage *stage, int64_t sum);

// Sets element `i` of a tensor of int8, uint8 or int16.
void oracle_store(enum tvmq_type type, void *tensor, size_t i, int32_t value);
