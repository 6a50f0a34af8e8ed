// Names of TFLite's builtin operators, for messages and reports.
#pragma once

#include <stdint.h>

const char *tvmq_op_name(int32_t builtin_code);  // "UNKNOWN" for codes younger than the table
