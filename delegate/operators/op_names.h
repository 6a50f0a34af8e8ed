// TFLite's builtin operators: codes of those that the delegate knows, names of all for messages and reports. Values are the flatbuffer schema's
// BuiltinOperator.
#pragma once

#include <stdint.h>

#define TVMQ_OPERATOR(name, code, reader) TVMQ_BUILTIN_##name = code,
enum {
#include "operators/operators.def"
  TVMQ_BUILTIN_DELEGATE = 51,
};

const char *tvmq_op_name(int32_t builtin_code);  // "UNKNOWN" for codes younger than the table
