// Functions of a byte that the reference computes in float32, with the math library that it finds at run time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

enum tvmq_float_function { TVMQ_FLOAT_LOGISTIC, TVMQ_FLOAT_TANH, TVMQ_FLOAT_GELU, TVMQ_FLOAT_GELU_TANH, TVMQ_FLOAT_EXP };

// Type and quantization of an int8 or uint8 tensor.
struct tvmq_float_bytes {
  enum tvmq_type type;
  float scale;
  int32_t zero_point;
};

// Sets table[x] to the function's result for byte x, quantized to a byte. The table holds for any math library whose
// float32 functions err by at most four units in the last place. Returns false if two such libraries may differ for
// some byte, or if a result exceeds int32, which the reference leaves undefined. The table is then undefined.
bool tvmq_float_table(enum tvmq_float_function function, struct tvmq_float_bytes in, struct tvmq_float_bytes out, uint8_t table[256]);
