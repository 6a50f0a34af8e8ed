// LOGISTIC and TANH of int16: in fixed point, by interpolation in a table of the logistic function.
#pragma once

#include <stdint.h>

#include "operators/desc.h"

enum { TVMQ_SIGMOID_ENTRIES = 256 };

struct tvmq_sigmoid {
  int32_t multiplier, shift;            // from elements to 2^-9 of an entry's distance (TANH: 2^-8), rounded
  int32_t table[TVMQ_SIGMOID_ENTRIES];  // 65536 / (1 + exp(-i / 24)), nearly
};

// NULL, or why the reference's formula has no meaning for the scale (a static string). The description is of one of the two functions, and its scale good.
const char *tvmq_set_sigmoid(const struct tvmq_unary_desc *desc, struct tvmq_sigmoid *sigmoid);

void tvmq_sigmoids(const struct tvmq_sigmoid *sigmoid, enum tvmq_function function, const int16_t *in, int16_t *out, size_t n);
