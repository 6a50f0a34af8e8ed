// Functions of one element.
#include "tflite/node_kind.h"

static const char *describe_unary(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_unary_desc *unary = &desc->unary;
  unary->in_type = tvmq_tensor_type(view->in[0]);
  unary->out_type = tvmq_tensor_type(view->out);
  unary->in = tvmq_tensor_quant(view->in[0]);
  unary->out = tvmq_tensor_quant(view->out);
  unary->floats = view->node->reference.hybrid;
  unary->float32 = view->node->reference.float32;
  unary->n = shapes->in[0].bytes / tvmq_type_bytes(unary->in_type);
  shapes->out = shapes->in[0];
  return NULL;
}

static const char *read_leaky_relu(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  options->unary.alpha = ((const TfLiteLeakyReluParams *)builtin_data)->alpha;
  return NULL;
}

static const char *read_gelu(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  if (((const TfLiteGeluParams *)builtin_data)->approximate) options->unary.function = TVMQ_FUNCTION_GELU_TANH;
  return NULL;
}

#define UNARY(NAME, FUNCTION, ...)                                                                    \
  const struct tvmq_node_kind tvmq_node_##NAME = {.op_def = &tvmq_operator_unary,                     \
                                                  .n_in = 1,                                          \
                                                  .min_inputs = 1,                                    \
                                                  .max_inputs = 1,                                    \
                                                  .flat = true,                                       \
                                                  .options.unary.function = TVMQ_FUNCTION_##FUNCTION, \
                                                  .describe = describe_unary,                         \
                                                  __VA_ARGS__};
UNARY(abs, ABS)
UNARY(elu, ELU)
UNARY(exp, EXP)
UNARY(gelu, GELU, .read = read_gelu)
UNARY(hard_swish, HARD_SWISH)
UNARY(leaky_relu, LEAKY_RELU, .read = read_leaky_relu)
UNARY(log, LOG)
UNARY(logistic, LOGISTIC)
UNARY(neg, NEG)
UNARY(relu, RELU)
UNARY(relu6, RELU6)
UNARY(relu_0_to_1, RELU_0_TO_1)
UNARY(relu_n1_to_1, RELU_N1_TO_1)
UNARY(rsqrt, RSQRT)
UNARY(sqrt, SQRT)
UNARY(square, SQUARE)
UNARY(tanh, TANH)
