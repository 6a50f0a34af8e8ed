// Rules that decide whether the delegate claims a node: pure functions of a description.
#pragma once

#include <stdbool.h>

#include "operators/desc.h"
#include "operators/turn.h"

// Return NULL if the node can be computed exactly, otherwise the reason for the refusal (static string).
const char *tvmq_claim_conv(const struct tvmq_conv_desc *desc);
const char *tvmq_claim_binary(const struct tvmq_binary_desc *desc);
const char *tvmq_claim_condition(const struct tvmq_condition_desc *desc);
const char *tvmq_claim_cast(const struct tvmq_cast_desc *desc);
const char *tvmq_claim_concatenation(const struct tvmq_concatenation_desc *desc);
const char *tvmq_claim_copy(const struct tvmq_copy_desc *desc);
const char *tvmq_claim_dequantize(const struct tvmq_dequantize_desc *desc);
const char *tvmq_claim_arg_max(const struct tvmq_arg_max_desc *desc);
const char *tvmq_claim_reduce(const struct tvmq_reduce_desc *desc);
const char *tvmq_claim_quantize(const struct tvmq_quantize_desc *desc);
const char *tvmq_claim_gather(const struct tvmq_gather_desc *desc);
const char *tvmq_claim_lookup(const struct tvmq_lookup_desc *desc);
const char *tvmq_claim_matmul(const struct tvmq_matmul_desc *desc);
const char *tvmq_claim_resize_bilinear(const struct tvmq_resize_desc *desc);
const char *tvmq_claim_shape(const struct tvmq_shape_desc *desc);
const char *tvmq_claim_softmax(const struct tvmq_softmax_desc *desc);
const char *tvmq_claim_pool(const struct tvmq_pool_desc *desc);
const char *tvmq_claim_transpose_conv(const struct tvmq_conv_desc *desc);
const char *tvmq_claim_unary(const struct tvmq_unary_desc *desc);

// Additional rules for a runtime that was compiled with unsafe floating-point optimizations. The rules above must have
// returned NULL.
const char *tvmq_claim_fast_math_conv(const union tvmq_desc *desc);  // CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV
const char *tvmq_claim_fast_math_binary(const union tvmq_desc *desc);
const char *tvmq_claim_fast_math_pool(const union tvmq_desc *desc);
const char *tvmq_claim_fast_math_softmax(const union tvmq_desc *desc);
const char *tvmq_claim_fast_math_reduce(const union tvmq_desc *desc);
const char *tvmq_claim_fast_math_unary(const union tvmq_desc *desc);

// Implements `turn` (operator.h) for all operators that are described as convolutions.
enum tvmq_turning tvmq_turn_conv(union tvmq_desc *desc, bool in, bool out);
