// ADD.
#include "tflite/node_kind.h"

static const char *read_add(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteAddParams *params = builtin_data;
  options->add.activation = tvmq_read_activation(params->activation);
  options->add.powers_of_two = params->pot_scale_int16;
  return NULL;
}

static const char *describe(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_add_desc *add = &desc->add;
  add->type = tvmq_tensor_type(view->out);
  for (int i = 0; i < 2; i++) {
    if (tvmq_tensor_type(view->in[i]) != add->type) return "input and output types differ";
    add->in[i] = tvmq_tensor_quant(view->in[i]);
  }
  add->out = tvmq_tensor_quant(view->out);
  const char *reason = tvmq_broadcast_shapes(shapes->in, &shapes->out, &add->broadcast);
  if (reason == NULL) reason = tvmq_shape_set_bytes(&shapes->out, add->type);
  add->n = shapes->out.bytes / tvmq_type_bytes(add->type);
  return reason;
}

const struct tvmq_node_kind tvmq_node_add = {.op_class = &tvmq_op_add, .n_in = 2, .min_inputs = 2, .max_inputs = 2, .read = read_add, .describe = describe};
