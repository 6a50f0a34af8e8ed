// Options of operators as TFLite's kernels get them (tflite/tflite_abi.h), read from a model's flatbuffer.
#pragma once

#include "base/flatbuffer.h"
#include "tflite/schema.h"
#include "tflite/tflite_abi.h"

// Memory for the options of any operator.
union tvmq_builtin_data {
  TfLiteConvParams conv;
  TfLiteDepthwiseConvParams depthwise_conv;
  TfLitePoolParams pool;
  TfLiteReshapeParams reshape;
  TfLiteSqueezeParams squeeze;
  TfLiteStridedSliceParams strided_slice;
};

// Returns the type of a tensor as the runtime's interface numbers it, or an unknown type for numbers that are newer
// than the table.
TfLiteType tvmq_type_of_schema(uint64_t type);

// Reads the options of a node of the builtin operator `builtin_code`. Returns false if the delegate reads no options of
// this operator; then *data is unchanged. All members are 0 if the node has no options of the operator's type.
bool tvmq_read_builtin_data(struct tvmq_flatbuffer *file, const struct tvmq_table *node, int32_t builtin_code, union tvmq_builtin_data *data);
