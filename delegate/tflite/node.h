// The only reader of TFLite's nodes: turns them into plain descriptions, and trusts nothing that a model's file decides.
#pragma once

#include "ops/desc.h"
#include "ops/op.h"
#include "tflite/tensor.h"
#include "tflite/tflite_abi.h"

// What is kept of a node once it is claimed: the runtime moves its own structures, and gives no access to them while it prepares or runs.
struct tvmq_node {
  const struct tvmq_node_kind *kind;
  int inputs[TVMQ_MAX_IN];    // tensor indices in the operator's order; -1: has none
  int n_in, in[TVMQ_MAX_IN];  // the first of them, that change with each inference; where a PAD is folded into the node, the PAD's
  int out;
  enum tvmq_scaling scaling;  // of the runtime's FULLY_CONNECTED
  union tvmq_desc options;    // of the description, what the node itself says; all else is zero
};

// Of the tensors that change with each inference.
struct tvmq_shapes {
  struct tvmq_shape in[TVMQ_MAX_IN], out;
};

// Fills *out but for `scaling`. NULL, or the reason why the node is malformed or unknown (a static string), as for all below.
const char *tvmq_node_read(const TfLiteNode *node, const TfLiteRegistration *registration, struct tvmq_node *out);

// Describes the node as its tensors are now. The output's shape is computed from the others, as TFLite does; what the output tensor says of it is not looked
// at. Every byte of *desc is set, so that two descriptions may be compared as memory.
const char *tvmq_node_describe(const TfLiteContext *context, const struct tvmq_node *node, union tvmq_desc *desc, struct tvmq_shapes *shapes);
