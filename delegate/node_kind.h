// The operators that the delegate knows, each in a file of its own: how a node of it is read and described, and what claims, plans and runs it.
#pragma once

#include "node.h"

// A node and the tensors that change with each inference, as they are now.
struct tvmq_node_view {
  const TfLiteContext *context;
  const struct tvmq_node *node;
  const TfLiteTensor *in[TVMQ_MAX_IN], *out;
};

struct tvmq_node_kind {
  int32_t builtin_code;
  const struct tvmq_op_class *op_class;
  int n_in;                    // tensors that change with each inference: the first inputs, or all where there are fewer
  int min_inputs, max_inputs;  // constants included
  // Reads the node's own options. `builtin_data` is not NULL. NULL: it has none.
  const char *(*read)(const void *builtin_data, int version, union tvmq_desc *options);
  // Completes the description, which begins as a copy of the options, and computes the output's rank and dimensions. The shapes of the inputs are known.
  const char *(*describe)(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc);
};

extern const struct tvmq_node_kind tvmq_node_add, tvmq_node_average_pool_2d, tvmq_node_concatenation, tvmq_node_conv_2d, tvmq_node_depthwise_conv_2d,
    tvmq_node_fully_connected, tvmq_node_mean, tvmq_node_max_pool_2d, tvmq_node_pad, tvmq_node_padv2, tvmq_node_quantize, tvmq_node_reshape;

// ---- options that several operators have

const char *tvmq_read_padding(TfLitePadding padding, enum tvmq_padding *out);
enum tvmq_activation tvmq_read_activation(TfLiteFusedActivation activation);

// ---- constants that several operators have

// The filter at `input`: its type, data, scales and zero point; and its shape.
const char *tvmq_describe_filter(const struct tvmq_node_view *view, int input, struct tvmq_conv_desc *conv, struct tvmq_shape *shape);

// The bias at `input`, which a node may do without. conv->bias_type is the type that the options ask of one of 16x8; OTHER: any.
const char *tvmq_describe_bias(const struct tvmq_node_view *view, int input, struct tvmq_conv_desc *conv);
