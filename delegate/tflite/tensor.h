// TFLite's tensors: read without trust in what a model's file decides, and given shapes while a graph is prepared.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/shape.h"
#include "base/types.h"
#include "operators/desc.h"
#include "tflite/tflite_abi.h"

const TfLiteTensor *tvmq_tensor_at(const TfLiteContext *context, int index);  // NULL: there is none
enum tvmq_type tvmq_tensor_type(const TfLiteTensor *tensor);

// The quantization of a whole tensor, read as TFLite's own kernels read it. Scale 0 if it has none; the claim rules refuse that.
struct tvmq_quant tvmq_tensor_quant(const TfLiteTensor *tensor);

// NULL, or the reason why the tensor is malformed (a static string), as for all below.
const char *tvmq_tensor_shape(const TfLiteTensor *tensor, struct tvmq_shape *shape);

// Sets the bytes of a shape whose dimensions are set.
const char *tvmq_shape_set_bytes(struct tvmq_shape *shape, enum tvmq_type type);

// The shape of a tensor that is not computed, as filters and biases are. NULL is refused. A constant's data is at least as large as its shape says.
const char *tvmq_tensor_constant_shape(const TfLiteTensor *tensor, struct tvmq_shape *shape);
const char *tvmq_tensor_parameter(const TfLiteContext *context, int index, const TfLiteTensor **tensor, struct tvmq_shape *shape);
bool tvmq_tensor_is_constant(const TfLiteTensor *tensor);

// The input of a node, and its shape: memory that is there by the time the node runs, in whole elements; a constant as above. NULL is refused.
const char *tvmq_tensor_input(const TfLiteTensor *tensor, struct tvmq_shape *shape);

// The output of a node. Its shape means nothing: kernels set it. NULL is refused.
const char *tvmq_tensor_output(const TfLiteTensor *tensor);

// Gives tensor `index` a shape; does nothing if it has it and `always` is false. False: the runtime refuses.
bool tvmq_tensor_resize(TfLiteContext *context, int index, const struct tvmq_shape *shape, bool always);

// The tensor's data, NULL if it has none or another size than `bytes`. A constant's buffer may be larger than its shape says.
void *tvmq_tensor_data(const TfLiteContext *context, int index, size_t bytes);
