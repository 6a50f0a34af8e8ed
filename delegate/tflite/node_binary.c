// Operations on two tensors.
#include "tflite/node_kind.h"

static const char *read_with_activation(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  options->binary.activation = tvmq_read_activation(((const TfLiteMulParams *)builtin_data)->activation);
  return NULL;
}

static const char *read_sum(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteAddParams *params = builtin_data;
  options->binary.activation = tvmq_read_activation(params->activation);
  options->binary.powers_of_two = params->pot_scale_int16;
  return NULL;
}

static bool same_shape(const struct tvmq_shape *a, const struct tvmq_shape *b) {
  bool same = a->rank == b->rank;
  for (int d = 0; same && d < a->rank; d++) same = a->dims[d] == b->dims[d];
  return same;
}

static const char *describe_binary(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_binary_desc *binary = &desc->binary;
  binary->type = tvmq_tensor_type(view->out);
  for (int i = 0; i < 2; i++) {
    if (tvmq_tensor_type(view->in[i]) != binary->type) return "input and output types differ";
    binary->in[i] = tvmq_tensor_quant(view->in[i]);
  }
  binary->out = tvmq_tensor_quant(view->out);
  // The versions that scale FULLY_CONNECTED in float64 broadcast MUL to 6 dimensions.
  binary->six_dims = binary->operation == TVMQ_OPERATION_MUL && view->node->reference.scaling == TVMQ_SCALING_FLOAT64;
  const char *reason = tvmq_broadcast_shapes(shapes->in, 2, &shapes->out, &binary->broadcast);
  if (reason == NULL) reason = tvmq_shape_set_bytes(&shapes->out, binary->type);
  if (reason == NULL && binary->operation == TVMQ_OPERATION_PRELU && !same_shape(&shapes->in[0], &shapes->out))
    reason = "alpha does not broadcast to the input's shape";
  binary->rank = same_shape(&shapes->in[0], &shapes->in[1]) ? 0 : shapes->out.rank;
  binary->n = shapes->out.bytes / tvmq_type_bytes(binary->type);
  return reason;
}

#define BINARY(NAME, OPERATION, ...)                                                                      \
  const struct tvmq_node_kind tvmq_node_##NAME = {.op_def = &tvmq_operator_binary,                        \
                                                  .n_in = 2,                                              \
                                                  .min_inputs = 2,                                        \
                                                  .max_inputs = 2,                                        \
                                                  .options.binary.operation = TVMQ_OPERATION_##OPERATION, \
                                                  .describe = describe_binary,                            \
                                                  __VA_ARGS__};
BINARY(add, ADD, .read = read_sum)
BINARY(div, DIV, .read = read_with_activation)
BINARY(maximum, MAXIMUM)
BINARY(minimum, MINIMUM)
BINARY(mul, MUL, .read = read_with_activation)
BINARY(prelu, PRELU)
BINARY(squared_difference, SQUARED_DIFFERENCE)
BINARY(sub, SUB, .read = read_sum)
