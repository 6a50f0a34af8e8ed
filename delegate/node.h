// The only reader of TFLite's tensors and operator options: turns them into plain descriptions, and trusts nothing that a model's file decides.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "desc.h"
#include "op.h"
#include "tflite_abi.h"

enum { TVMQ_MAX_RANK = 8 };

// What is kept of a node once it is claimed: the runtime moves its own structures, and gives no access to them while it prepares or runs.
struct tvmq_node {
  int32_t builtin_code;
  int in, filter, bias, out;  // tensor indices; -1: has none
  enum tvmq_padding padding;
  enum tvmq_activation activation;
  int32_t stride_h, stride_w, dilation_h, dilation_w;
  int32_t depth_multiplier;  // as the operator's options say
  bool narrow_accumulator;   // 16x8 with 32 bits, as the operator's options ask for
};

struct tvmq_shape {
  int rank;
  int dims[TVMQ_MAX_RANK];
  size_t bytes;  // of the whole tensor
};

// Fills *out. NULL, or the reason why the node is malformed (a static string), as for all below.
const char *tvmq_node_read(const TfLiteNode *node, const TfLiteRegistration *registration, struct tvmq_node *out);

// Describes the node as its tensors are now. The output's shape is computed from the others, as TFLite does; what the output tensor says of it is not looked
// at. Every byte of *desc is set, so that two descriptions may be compared as memory.
const char *tvmq_node_describe(const TfLiteContext *context, const struct tvmq_node *node, union tvmq_desc *desc, struct tvmq_shape *in,
                               struct tvmq_shape *out);

// Gives tensor `index` a shape; does nothing if it has it and `always` is false. False: the runtime refuses.
bool tvmq_tensor_resize(TfLiteContext *context, int index, const struct tvmq_shape *shape, bool always);

// The tensor's data, NULL if it has none or another size than `bytes`. A constant's buffer may be larger than its shape says.
void *tvmq_tensor_data(const TfLiteContext *context, int index, size_t bytes);
