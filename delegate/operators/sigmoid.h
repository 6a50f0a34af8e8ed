// LOGISTIC and TANH of int16 in fixed point, by interpolation in a table of the logistic function.
#pragma once

#include <stdint.h>

#include "operators/desc.h"

enum { TVMQ_SIGMOID_ENTRIES = 256 };

struct tvmq_sigmoid {
  int32_t multiplier, shift;            // convert elements to steps, rounded; a step is 2^-9 of the distance between entries (TANH: 2^-8)
  int32_t table[TVMQ_SIGMOID_ENTRIES];  // 65536 / (1 + exp(-i / 24)), rounded as in the reference
};

// Sets *sigmoid. Returns NULL, or why the reference's formula is undefined for the scale (static string). The
// description must be LOGISTIC or TANH with a valid scale.
const char *tvmq_set_sigmoid(const struct tvmq_unary_desc *desc, struct tvmq_sigmoid *sigmoid);

void tvmq_sigmoids(const struct tvmq_sigmoid *sigmoid, enum tvmq_function function, const int16_t *in, int16_t *out, size_t n);
