// Lowers a node to launches of kernels.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "opencl/plan.h"
#include "operators/operator.h"

// A node that is computed: its operator and description, and its tensors as byte offsets into the partition's memory.
struct tvmq_opencl_node {
  const struct tvmq_operator *op_def;
  const union tvmq_desc *desc;
  const int32_t *ins, *outs;
  size_t out_bytes;  // of the first output
};

// Appends the node's launches to the plan, and its constants. Returns NULL, or why this back end cannot compute the node
// (static string).
const char *tvmq_opencl_lower(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan);

// The functions for single operators.
typedef const char *tvmq_opencl_lower_fn(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan);
tvmq_opencl_lower_fn tvmq_opencl_lower_binary, tvmq_opencl_lower_byte_map, tvmq_opencl_lower_concatenation, tvmq_opencl_lower_conv, tvmq_opencl_lower_copy,
    tvmq_opencl_lower_dequantize, tvmq_opencl_lower_pool, tvmq_opencl_lower_quantize, tvmq_opencl_lower_reduce, tvmq_opencl_lower_resize,
    tvmq_opencl_lower_softmax, tvmq_opencl_lower_unary;

// Lowers a node whose operator has a byte_function.
const char *tvmq_opencl_lower_function(const struct tvmq_opencl_node *node, enum tvmq_type in, enum tvmq_type out, struct tvmq_opencl_plan *plan);

// The reason for tensors that are not of bytes.
#define TVMQ_OPENCL_BYTES "OpenCL: only tensors of int8 and uint8 are computed"

enum { TVMQ_OPENCL_LINE = 64 };  // work items of a group, for kernels whose items follow each other
