// Reads TFLite's tensors without trusting anything that comes from the model's file, and resizes them while a graph is
// prepared.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/shape.h"
#include "base/types.h"
#include "operators/desc.h"
#include "tflite/tflite_abi.h"

const TfLiteTensor *tvmq_tensor_at(const TfLiteContext *context, int index);  // NULL: there is none
enum tvmq_type tvmq_tensor_type(const TfLiteTensor *tensor);

// Returns the per-tensor quantization as TFLite's own kernels read it. The scale is 0 if there is none, which the claim
// rules refuse.
struct tvmq_quant tvmq_tensor_quant(const TfLiteTensor *tensor);

// Reads the shape. Like the functions below, returns NULL, or a static string that says why the tensor is malformed.
const char *tvmq_tensor_shape(const TfLiteTensor *tensor, struct tvmq_shape *shape);

// Computes the bytes of a shape from its dimensions.
const char *tvmq_shape_set_bytes(struct tvmq_shape *shape, enum tvmq_type type);

// Reads the shape of a tensor that is not computed, such as a filter or bias. Refuses NULL. Checks that a constant's
// data is at least as large as its shape requires.
const char *tvmq_tensor_constant_shape(const TfLiteTensor *tensor, struct tvmq_shape *shape);
const char *tvmq_tensor_parameter(const TfLiteContext *context, int index, const TfLiteTensor **tensor, struct tvmq_shape *shape);
bool tvmq_tensor_is_constant(const TfLiteTensor *tensor);

// Checks a node's input and reads its shape. The tensor must have memory when the node runs, in whole elements;
// constants are checked as above. Refuses NULL.
const char *tvmq_tensor_input(const TfLiteTensor *tensor, struct tvmq_shape *shape);

// Checks a node's output. Ignores its shape, because kernels set it. Refuses NULL.
const char *tvmq_tensor_output(const TfLiteTensor *tensor);

// Resizes tensor `index`, unless it already has this shape and `always` is false. Returns false if the runtime refuses.
bool tvmq_tensor_resize(TfLiteContext *context, int index, const struct tvmq_shape *shape, bool always);

// Returns the tensor's data, or NULL if there is none or its size differs from `bytes`. A constant's buffer may be
// larger than its shape requires.
void *tvmq_tensor_data(const TfLiteContext *context, int index, size_t bytes);
