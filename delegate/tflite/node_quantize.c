// QUANTIZE.
#include "tflite/node_kind.h"

static const char *describe_quantize(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_quantize_desc *requantize = &desc->quantize;
  requantize->in_type = tvmq_tensor_type(view->in[0]);
  requantize->out_type = tvmq_tensor_type(view->out);
  requantize->in = tvmq_tensor_quant(view->in[0]);
  requantize->out = tvmq_tensor_quant(view->out);
  requantize->reciprocal = view->node->reference.fast_math;
  requantize->n = shapes->in[0].bytes / tvmq_type_bytes(requantize->in_type);
  shapes->out = shapes->in[0];
  return NULL;
}

const struct tvmq_node_kind tvmq_node_quantize = {
    .op_def = &tvmq_operator_quantize, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .flat = true, .describe = describe_quantize};
