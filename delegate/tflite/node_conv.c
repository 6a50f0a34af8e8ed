// CONV_2D and DEPTHWISE_CONV_2D.
#include "operators/geometry.h"
#include "tflite/node_kind.h"

enum { IN, FILTER, BIAS };  // inputs

// ---- options

enum { CONV_VERSION_WITH_BIAS_TYPE = 7 };

static const char *read_conv(const void *builtin_data, int version, union tvmq_desc *options) {
  const TfLiteConvParams *params = builtin_data;
  struct tvmq_conv_desc *conv = &options->conv;
  conv->stride_h = params->stride_height;
  conv->stride_w = params->stride_width;
  conv->dilation_h = params->dilation_height_factor;
  conv->dilation_w = params->dilation_width_factor;
  conv->activation = tvmq_read_activation(params->activation);
  const bool narrow = version >= CONV_VERSION_WITH_BIAS_TYPE && params->quantized_bias_type == kTfLiteInt32;
  conv->bias_type = narrow ? TVMQ_TYPE_S32 : TVMQ_TYPE_S64;  // of 16x8
  conv->depth_multiplier = 1;
  return tvmq_read_padding(params->padding, &conv->padding);
}

static const char *read_depthwise(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteDepthwiseConvParams *params = builtin_data;
  struct tvmq_conv_desc *conv = &options->conv;
  conv->depthwise = true;
  conv->stride_h = params->stride_height;
  conv->stride_w = params->stride_width;
  conv->dilation_h = params->dilation_height_factor;
  conv->dilation_w = params->dilation_width_factor;
  conv->activation = tvmq_read_activation(params->activation);
  conv->bias_type = TVMQ_TYPE_S64;  // of 16x8
  conv->depth_multiplier = params->depth_multiplier;
  return tvmq_read_padding(params->padding, &conv->padding);
}

// ---- tensors

void tvmq_describe_activations(const struct tvmq_node_view *view, struct tvmq_conv_desc *conv) {
  conv->in_type = tvmq_tensor_type(view->in[0]);
  conv->out_type = tvmq_tensor_type(view->out);
  conv->in = tvmq_tensor_quant(view->in[0]);
  conv->out = tvmq_tensor_quant(view->out);
}

const char *tvmq_describe_images(const struct tvmq_node_view *view, const struct tvmq_shape *in, struct tvmq_conv_desc *conv) {
  if (in->rank != 4) return "the input is not 4-dimensional";
  conv->batch = in->dims[0];
  conv->in_h = in->dims[1];
  conv->in_w = in->dims[2];
  conv->in_c = in->dims[3];
  tvmq_describe_activations(view, conv);
  return NULL;
}

static const char *describe_filter(const struct tvmq_node_view *view, struct tvmq_conv_desc *conv) {
  struct tvmq_shape shape;
  const char *reason = tvmq_describe_filter(view, FILTER, conv, &shape);
  if (reason != NULL) return reason;
  if (shape.rank != 4) return "the filter is not 4-dimensional";
  conv->filter_h = shape.dims[1];
  conv->filter_w = shape.dims[2];
  conv->filter_c = conv->depthwise ? 1 : shape.dims[3];
  conv->out_c = conv->depthwise ? shape.dims[3] : shape.dims[0];
  if (!conv->depthwise) return NULL;
  if (shape.dims[0] != 1) return "the first dimension of a depthwise filter is not 1";
  if (conv->in_c < 1 || conv->out_c % conv->in_c != 0) return "output channels are not a multiple of the input channels";
  const int32_t multiplier = conv->out_c / conv->in_c;
  // 8-bit kernels divide the channels, as done here. 16x8 kernels of older runtimes use the options and compute
  // something else.
  if (conv->in_type == TVMQ_TYPE_S16 && conv->depth_multiplier != multiplier) return "16x8: depth_multiplier does not match the channels";
  conv->depth_multiplier = multiplier;
  return NULL;
}

static const char *describe_conv(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_conv_desc *conv = &desc->conv;
  conv->hybrid = view->node->reference.hybrid;
  const char *reason = tvmq_describe_images(view, &shapes->in[IN], conv);
  if (reason == NULL) reason = describe_filter(view, conv);
  if (reason == NULL) reason = tvmq_describe_bias(view, BIAS, conv);
  if (reason != NULL) return reason;

  reason = tvmq_conv_out_size(conv, &conv->out_h, &conv->out_w);
  if (reason != NULL) return reason;
  shapes->out = (struct tvmq_shape){.rank = 4, .dims = {conv->batch, conv->out_h, conv->out_w, conv->out_c}};
  return NULL;
}

const struct tvmq_node_kind tvmq_node_conv_2d = {
    .op_def = &tvmq_operator_conv, .n_in = 1, .min_inputs = 2, .max_inputs = 3, .read = read_conv, .describe = describe_conv};

const struct tvmq_node_kind tvmq_node_depthwise_conv_2d = {
    .op_def = &tvmq_operator_depthwise, .n_in = 1, .min_inputs = 2, .max_inputs = 3, .read = read_depthwise, .describe = describe_conv};
