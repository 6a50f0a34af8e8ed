// DEQUANTIZE.
#include "tflite/node_kind.h"

static const char *describe_dequantize(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_dequantize_desc *dequantize = &desc->dequantize;
  dequantize->in_type = tvmq_tensor_type(view->in[0]);
  dequantize->out_type = tvmq_tensor_type(view->out);
  dequantize->in = tvmq_tensor_quant(view->in[0]);
  dequantize->constant = tvmq_tensor_is_constant(view->in[0]);
  dequantize->n = shapes->in[0].bytes / tvmq_type_bytes(dequantize->in_type);
  shapes->out = shapes->in[0];
  return NULL;
}

const struct tvmq_node_kind tvmq_node_dequantize = {
    .op_def = &tvmq_operator_dequantize, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .flat = true, .describe = describe_dequantize};
