// SOFTMAX.
#include "tflite/node_kind.h"

static const char *read_softmax(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteSoftmaxParams *params = builtin_data;
  options->softmax.beta = params->beta;
  return NULL;
}

static const char *describe_softmax(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[0];
  if (in->rank < 1) return "the input is a scalar";
  struct tvmq_softmax_desc *softmax = &desc->softmax;
  softmax->in_type = tvmq_tensor_type(view->in[0]);
  softmax->out_type = tvmq_tensor_type(view->out);
  softmax->in = tvmq_tensor_quant(view->in[0]);
  softmax->out = tvmq_tensor_quant(view->out);
  softmax->depth = (size_t)in->dims[in->rank - 1];
  softmax->rows = softmax->depth > 0 ? in->bytes / tvmq_type_bytes(softmax->in_type) / softmax->depth : 0;
  shapes->out = *in;
  return NULL;
}

const struct tvmq_node_kind tvmq_node_softmax = {
    .op_def = &tvmq_operator_softmax, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .read = read_softmax, .describe = describe_softmax};
