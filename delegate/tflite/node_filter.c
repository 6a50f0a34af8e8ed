// Filters and biases.
#include "tflite/node_kind.h"

const char *tvmq_describe_weights(const TfLiteTensor *weights, struct tvmq_conv_desc *conv) {
  const TfLiteAffineQuantization *affine = weights->quantization.type == kTfLiteAffineQuantization ? weights->quantization.params : NULL;
  conv->filter_type = tvmq_tensor_type(weights);
  if (affine == NULL || affine->scale == NULL || affine->scale->size < 1) return NULL;  // no scales: the claim rules say what that means for the type
  conv->filter_scales = affine->scale->data;
  conv->n_filter_scales = affine->scale->size;
  if (affine->zero_point == NULL) return NULL;
  for (int i = 0; i < affine->zero_point->size; i++) {
    if (affine->zero_point->data[i] != affine->zero_point->data[0]) return "zero points of the weights differ between channels";
    conv->filter_zero_point = affine->zero_point->data[0];
  }
  return NULL;
}

const char *tvmq_describe_filter(const struct tvmq_node_view *view, int input, struct tvmq_conv_desc *conv, struct tvmq_shape *shape) {
  const TfLiteTensor *filter;
  const char *reason = tvmq_node_parameter(view, input, &filter, shape);
  if (reason != NULL) return reason;
  conv->filter = tvmq_tensor_is_constant(filter) ? filter->data : NULL;
  return tvmq_describe_weights(filter, conv);
}

const char *tvmq_describe_bias(const struct tvmq_node_view *view, int input, struct tvmq_conv_desc *conv) {
  if (conv->in_type != TVMQ_TYPE_S16) conv->bias_type = TVMQ_TYPE_S32;
  if (view->node->inputs[input] < 0) return NULL;
  const TfLiteTensor *bias;
  struct tvmq_shape shape;
  const char *reason = tvmq_node_parameter(view, input, &bias, &shape);
  if (reason != NULL) return reason;
  const enum tvmq_type type = tvmq_tensor_type(bias);
  if (shape.bytes != (size_t)conv->out_c * tvmq_type_bytes(type)) return "size of the bias is not the number of output channels";
  const bool chosen = conv->in_type == TVMQ_TYPE_S16 && conv->bias_type != TVMQ_TYPE_OTHER;
  if (chosen && type != conv->bias_type) return "type of the 16x8 bias does not match the accumulator";
  conv->bias_type = type;
  conv->bias = tvmq_tensor_is_constant(bias) ? bias->data : NULL;
  conv->dynamic_bias = conv->bias == NULL;
  return NULL;
}
