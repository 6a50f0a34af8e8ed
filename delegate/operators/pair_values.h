// Elementwise operations on two tensors: the definition with which faster forms are compared.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "operators/desc.h"

struct tvmq_pair_formula {
  enum tvmq_operation operation;
  enum tvmq_type type;
  enum tvmq_rounding rounding;
  int32_t left_shift;  // ADD, SUB, SQUARED_DIFFERENCE
  int32_t in_zero_point[2], out_zero_point;
  struct tvmq_scale in_scale[2];  // ADD, SUB, SQUARED_DIFFERENCE: of each input; PRELU: [0] of elements >= 0, [1] of negative elements * slopes
  struct tvmq_scale out_scale;    // ADD, SUB, MUL, SQUARED_DIFFERENCE
  int32_t min, max;
};

void tvmq_set_pair_formula(const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, struct tvmq_pair_formula *formula);

// Computes n elements of the formula's type. The output may be one of the inputs.
void tvmq_pair_values(const struct tvmq_pair_formula *formula, const void *const in[2], void *out, size_t n);
