// Functions that the reference computes of a byte in float32, by the mathematics library that it finds at run time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

enum tvmq_float_function { TVMQ_FLOAT_LOGISTIC, TVMQ_FLOAT_TANH, TVMQ_FLOAT_GELU, TVMQ_FLOAT_GELU_TANH, TVMQ_FLOAT_EXP };

// A tensor of int8 or uint8.
struct tvmq_float_bytes {
  enum tvmq_type type;
  float scale;
  int32_t zero_point;
};

// Sets table[x] to what the function of byte x is, as a byte, with any mathematics library whose float32 functions are off by at most four units in the last
// place. False: for some byte two such libraries may differ, or the result exceeds int32, which the reference leaves undefined; the table is then of no use.
bool tvmq_float_table(enum tvmq_float_function function, struct tvmq_float_bytes in, struct tvmq_float_bytes out, uint8_t table[256]);
