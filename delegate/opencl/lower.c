#include "opencl/lower.h"

// Operators without a row are computed by the CPU.
static const struct {
  const struct tvmq_operator *op_def;
  tvmq_opencl_lower_fn *lower;
} rows[] = {
    {&tvmq_operator_binary, tvmq_opencl_lower_binary},
    {&tvmq_operator_byte_map, tvmq_opencl_lower_byte_map},
    {&tvmq_operator_conv, tvmq_opencl_lower_conv},
    {&tvmq_operator_concatenation, tvmq_opencl_lower_concatenation},
    {&tvmq_operator_copy, tvmq_opencl_lower_copy},
    {&tvmq_operator_depthwise, tvmq_opencl_lower_conv},
    {&tvmq_operator_dequantize, tvmq_opencl_lower_dequantize},
    {&tvmq_operator_pad, tvmq_opencl_lower_copy},
    {&tvmq_operator_fully_connected, tvmq_opencl_lower_conv},
    {&tvmq_operator_pool, tvmq_opencl_lower_pool},
    {&tvmq_operator_quantize, tvmq_opencl_lower_quantize},
    {&tvmq_operator_reduce, tvmq_opencl_lower_reduce},
    {&tvmq_operator_resize_bilinear, tvmq_opencl_lower_resize},
    {&tvmq_operator_softmax, tvmq_opencl_lower_softmax},
    {&tvmq_operator_unary, tvmq_opencl_lower_unary},
};

const char *tvmq_opencl_lower(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].op_def != node->op_def) continue;
    const char *const why = rows[i].lower(node, plan);
    return why == NULL && plan->failed ? "OpenCL: out of memory, or beyond offsets of 32 bits" : why;
  }
  return "OpenCL: no kernel for this operator";
}
