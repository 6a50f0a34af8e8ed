// TFLite's builtin operators: codes of the operators that the delegate knows, and names of all for messages and
// reports. Codes equal BuiltinOperator in the flatbuffer schema.
#pragma once

#include <stdint.h>

#define TVMQ_OPERATOR(name, code, reader) TVMQ_BUILTIN_##name = code,
enum {
#include "operators/operators.def"
  TVMQ_BUILTIN_DELEGATE = 51,
};

const char *tvmq_op_name(int32_t builtin_code);  // "UNKNOWN" for codes newer than the table
