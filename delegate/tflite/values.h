// Values of tensors that nodes compute only from constants and shapes, such as the shape for a RESHAPE. They are known
// as soon as the shapes are, before the runtime's tensors have data. Readers of nodes treat such tensors as constants.
#pragma once

#include <stddef.h>

#include "tflite/tensor.h"

enum { TVMQ_VALUE_BYTES = 2048 };  // maximum bytes of such a tensor

struct tvmq_value;

struct tvmq_values {
  size_t n;                 // tensors
  struct tvmq_value *of[];  // NULL: not known
};

struct tvmq_values *tvmq_values_create(size_t n);  // NULL: out of memory
void tvmq_values_free(struct tvmq_values *values);

// Returns memory for the value of tensor `index`, integers of this shape. It contains the previous value until the
// caller overwrites it. Returns NULL if out of memory.
void *tvmq_values_set(struct tvmq_values *values, int index, const TfLiteTensor *tensor, const struct tvmq_shape *shape);
void tvmq_values_drop(struct tvmq_values *values, int index);

bool tvmq_values_known(const struct tvmq_values *values, int index);

// Returns the tensor as a constant if its value is known, otherwise the tensor itself, or NULL if there is none.
const TfLiteTensor *tvmq_values_at(const struct tvmq_values *values, const TfLiteContext *context, int index);
