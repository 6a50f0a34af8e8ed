// FULLY_CONNECTED: a 1x1 convolution whose pixels are the rows of the input matrix, or a matrix product if the weights
// are computed.
#include "tflite/node_kind.h"

enum { IN, FILTER, BIAS };  // inputs

void tvmq_describe_product(struct tvmq_conv_desc *conv) {
  conv->fully_connected = true;
  conv->batch = conv->in_h = conv->out_h = 1;
  conv->filter_h = conv->filter_w = 1;
  conv->stride_h = conv->stride_w = conv->dilation_h = conv->dilation_w = 1;
  conv->depth_multiplier = 1;
  conv->padding = TVMQ_PADDING_VALID;
}

static const char *read_fully_connected(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteFullyConnectedParams *params = builtin_data;
  struct tvmq_conv_desc *conv = &options->conv;
  tvmq_describe_product(conv);
  conv->activation = tvmq_read_activation(params->activation);
  conv->asymmetric_inputs = params->asymmetric_quantize_inputs;
  conv->keep_num_dims = params->keep_num_dims;
  return params->weights_format == 0 ? NULL : "weights_format is not DEFAULT";
}

static const char *describe_rows(const struct tvmq_shape *in, struct tvmq_conv_desc *conv, struct tvmq_shape *out) {
  const size_t n = in->bytes / tvmq_type_bytes(conv->in_type);
  if (conv->in_c < 1) return "weights have no input channels";
  if (n / (size_t)conv->in_c > INT32_MAX) return "input has more than 2^31 - 1 elements";
  conv->in_w = conv->out_w = (int32_t)(n / (size_t)conv->in_c);
  *out = (struct tvmq_shape){.rank = 2, .dims = {conv->out_w, conv->out_c}};
  if (!conv->keep_num_dims) return NULL;
  // Fixed-point kernels mistake the first dimensions of such an output for the last ones and leave the rest unwritten.
  if (conv->scaling == TVMQ_SCALING_FIXED_POINT && conv->n_filter_scales > 1 && in->rank != 2)
    return "keep_num_dims with per-channel scales: the input is not 2-dimensional";
  if (in->rank < 1 || in->dims[in->rank - 1] != conv->in_c) return "keep_num_dims: the input's last dimension does not match the weights";
  *out = *in;
  out->dims[in->rank - 1] = conv->out_c;
  return NULL;
}

// Describes everything except the weights, which are described already.
static const char *describe_rest(const struct tvmq_node_view *view, const struct tvmq_shape *filter, struct tvmq_shapes *shapes, struct tvmq_conv_desc *conv) {
  conv->scaling = view->node->reference.scaling;
  conv->hybrid = view->node->reference.hybrid;
  conv->float32 = view->node->reference.float32;
  conv->dot_products = view->node->reference.dot_products;
  tvmq_describe_activations(view, conv);
  if (filter->rank != 2) return "the filter is not 2-dimensional";
  conv->out_c = filter->dims[0];
  conv->in_c = conv->filter_c = filter->dims[1];
  const char *reason = tvmq_describe_bias(view, BIAS, conv);
  return reason != NULL ? reason : describe_rows(&shapes->in[IN], conv, &shapes->out);
}

static const char *describe_fully_connected(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_shape filter;
  const char *reason = tvmq_describe_filter(view, FILTER, &desc->conv, &filter);
  return reason != NULL ? reason : describe_rest(view, &filter, shapes, &desc->conv);
}

static const char *describe_computed(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_matmul_desc *matmul = &desc->matmul;
  matmul->adj_y = matmul->finite = true;
  matmul->products = matmul->lefts = matmul->rights = 1;
  for (int d = 0; d < TVMQ_MATMUL_BATCH_DIMS; d++) matmul->batch[d] = 1;
  const char *reason = tvmq_describe_weights(view->in[FILTER], &matmul->conv);
  return reason != NULL ? reason : describe_rest(view, &shapes->in[FILTER], shapes, &matmul->conv);
}

static const struct tvmq_node_kind of_computed_weights = {
    .op_def = &tvmq_operator_matmul, .n_in = 2, .min_inputs = 2, .max_inputs = 3, .read = read_fully_connected, .describe = describe_computed};

const struct tvmq_node_kind tvmq_node_fully_connected = {.op_def = &tvmq_operator_fully_connected,
                                                         .computed = &of_computed_weights,
                                                         .n_in = 1,
                                                         .min_inputs = 2,
                                                         .max_inputs = 3,
                                                         .flat = true,
                                                         .read = read_fully_connected,
                                                         .describe = describe_fully_connected};
