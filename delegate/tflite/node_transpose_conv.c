// TRANSPOSE_CONV.
#include "tflite/node_kind.h"

enum { OUT_SHAPE, FILTER, IN, BIAS };  // inputs
enum { RANK = 4 };

static const char *read_transpose_conv(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;  // kernels apply the activation of older ones, too
  const TfLiteTransposeConvParams *params = builtin_data;
  struct tvmq_conv_desc *conv = &options->conv;
  conv->stride_h = params->stride_height;
  conv->stride_w = params->stride_width;
  conv->dilation_h = conv->dilation_w = 1;
  conv->activation = tvmq_read_activation(params->activation);
  conv->bias_type = TVMQ_TYPE_S64;  // of 16x8
  conv->depth_multiplier = 1;
  return tvmq_read_padding(params->padding, &conv->padding);
}

static const char *describe_filter(const struct tvmq_node_view *view, struct tvmq_conv_desc *conv) {
  struct tvmq_shape shape;
  const char *reason = tvmq_describe_filter(view, FILTER, conv, &shape);
  if (reason != NULL) return reason;
  if (shape.rank != RANK) return "the filter is not 4-dimensional";
  conv->out_c = shape.dims[0];
  conv->filter_h = shape.dims[1];
  conv->filter_w = shape.dims[2];
  conv->filter_c = shape.dims[3];
  return NULL;
}

static const char *describe_transpose_conv(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_conv_desc *conv = &desc->conv;
  int64_t dims[RANK];
  const char *reason = tvmq_describe_images(view, &shapes->in[0], conv);
  if (reason == NULL) reason = tvmq_read_n_integers(view, OUT_SHAPE, TVMQ_INT32_LIST("output_shape is"), RANK, dims);
  if (reason == NULL) reason = describe_filter(view, conv);
  if (reason == NULL) reason = tvmq_describe_bias(view, BIAS, conv);
  if (reason != NULL) return reason;
  if (dims[0] != conv->batch || dims[3] != conv->out_c) return "output_shape does not match the input's batch or the filter's output channels";
  conv->out_h = (int32_t)dims[1];
  conv->out_w = (int32_t)dims[2];
  shapes->out = (struct tvmq_shape){.rank = RANK, .dims = {conv->batch, conv->out_h, conv->out_w, conv->out_c}};
  return NULL;
}

const struct tvmq_node_kind tvmq_node_transpose_conv = {.op_def = &tvmq_operator_transpose_conv,
                                                        .n_in = 1,
                                                        .first_in = IN,
                                                        .min_inputs = 3,
                                                        .max_inputs = 4,
                                                        .read = read_transpose_conv,
                                                        .describe = describe_transpose_conv};
