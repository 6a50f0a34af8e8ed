// Functions of a byte that the reference computes in float32, with the math library that it finds at run time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

enum tvmq_table_function { TVMQ_TABLE_LOGISTIC, TVMQ_TABLE_TANH, TVMQ_TABLE_GELU, TVMQ_TABLE_GELU_TANH, TVMQ_TABLE_EXP, TVMQ_TABLE_LOG, TVMQ_TABLE_ELU };

// Type and quantization of an int8 or uint8 tensor.
struct tvmq_float_bytes {
  enum tvmq_type type;
  float scale;
  int32_t zero_point;
};

// Libraries for which a table of bytes holds.
enum tvmq_table_scope {
  TVMQ_TABLE_UNKNOWN,          // nothing: a result exceeds int32, which the reference leaves undefined, or depends on the compiler's use of FMA
  TVMQ_TABLE_OF_THIS_LIBRARY,  // the math library of the process, as long as the reference performs each float32 operation as it is written
  TVMQ_TABLE_OF_ALL_LIBRARIES  // any math library whose float32 functions err by at most four units in the last place
};

// Sets table[x] to the function's result for byte x, quantized to a byte.
enum tvmq_table_scope tvmq_float_table(enum tvmq_table_function function, struct tvmq_float_bytes in, struct tvmq_float_bytes out, uint8_t table[256]);
