// Values of tensors that nodes compute of constants and of shapes alone, such as the shape that a RESHAPE is given. They are known as soon as shapes are, so
// that readers of nodes find constants where the runtime has tensors without data yet.
#pragma once

#include <stddef.h>

#include "tflite/tensor.h"

enum { TVMQ_VALUE_BYTES = 2048 };  // of the largest tensor that is computed so

struct tvmq_value;

struct tvmq_values {
  size_t n;                 // tensors
  struct tvmq_value *of[];  // NULL: not known
};

struct tvmq_values *tvmq_values_create(size_t n);  // NULL: out of memory
void tvmq_values_free(struct tvmq_values *values);

// Room for the value of tensor `index`, which has this shape of integers; what was there stays until the caller writes. NULL: out of memory.
void *tvmq_values_set(struct tvmq_values *values, int index, const TfLiteTensor *tensor, const struct tvmq_shape *shape);
void tvmq_values_drop(struct tvmq_values *values, int index);

bool tvmq_values_known(const struct tvmq_values *values, int index);

// The tensor as a constant, if its value is known; else the tensor itself. NULL: there is none.
const TfLiteTensor *tvmq_values_at(const struct tvmq_values *values, const TfLiteContext *context, int index);
