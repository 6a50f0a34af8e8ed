// The part of TFLite's flatbuffer schema that is read without a runtime: numbers of the fields of its tables. The
// schema only ever appends fields. Options of operators are in network/builtin_data.c.
#pragma once

#include <stddef.h>

#include "base/flatbuffer.h"

#define TVMQ_MODEL_IDENTIFIER "TFL3"
enum { TVMQ_SCHEMA_VERSION = 3 };

enum { MODEL_VERSION = 0, MODEL_OPERATOR_CODES = 1, MODEL_SUBGRAPHS = 2, MODEL_BUFFERS = 4 };
enum { OPERATOR_CODE_DEPRECATED = 0, OPERATOR_CODE_CUSTOM = 1, OPERATOR_CODE_VERSION = 2, OPERATOR_CODE_BUILTIN = 3 };
enum { SUBGRAPH_TENSORS = 0, SUBGRAPH_INPUTS = 1, SUBGRAPH_OUTPUTS = 2, SUBGRAPH_OPERATORS = 3 };
enum { BUFFER_DATA = 0, BUFFER_OFFSET = 1, BUFFER_SIZE = 2 };
enum {
  TENSOR_SHAPE = 0,
  TENSOR_TYPE = 1,
  TENSOR_BUFFER = 2,
  TENSOR_NAME = 3,
  TENSOR_QUANTIZATION = 4,
  TENSOR_IS_VARIABLE = 5,
  TENSOR_SPARSITY = 6,
  TENSOR_EXTERNAL_BUFFER = 10
};

// Returns the address of a tensor's constant, and sets *bytes to its size: it is in the tensor's buffer, one of `buffers`, or
// after the flatbuffer in files of more than 2 GB. Returns NULL if the tensor has none. Data beyond the file is a fault.
const void *tvmq_schema_data(struct tvmq_flatbuffer *file, const struct tvmq_vector *buffers, const struct tvmq_table *tensor, size_t *bytes);

enum { QUANTIZATION_SCALE = 2, QUANTIZATION_ZERO_POINT = 3, QUANTIZATION_DETAILS_TYPE = 4, QUANTIZATION_DIMENSION = 6 };
enum { OPERATOR_CODE = 0, OPERATOR_INPUTS = 1, OPERATOR_OUTPUTS = 2, OPERATOR_OPTIONS_TYPE = 3, OPERATOR_OPTIONS = 4 };
