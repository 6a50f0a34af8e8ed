// TFLite's builtin operators: codes of those that the delegate knows, names of all for messages and reports. Values are the flatbuffer schema's
// BuiltinOperator.
#pragma once

#include <stdint.h>

enum {
  TVMQ_BUILTIN_ADD = 0,
  TVMQ_BUILTIN_AVERAGE_POOL_2D = 1,
  TVMQ_BUILTIN_CONCATENATION = 2,
  TVMQ_BUILTIN_CONV_2D = 3,
  TVMQ_BUILTIN_DEPTHWISE_CONV_2D = 4,
  TVMQ_BUILTIN_FULLY_CONNECTED = 9,
  TVMQ_BUILTIN_MAX_POOL_2D = 17,
  TVMQ_BUILTIN_RESHAPE = 22,
  TVMQ_BUILTIN_PAD = 34,
  TVMQ_BUILTIN_MEAN = 40,
  TVMQ_BUILTIN_DELEGATE = 51,
  TVMQ_BUILTIN_PADV2 = 60,
  TVMQ_BUILTIN_QUANTIZE = 114,
};

const char *tvmq_op_name(int32_t builtin_code);  // "UNKNOWN" for codes younger than the table
