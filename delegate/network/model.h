// A model in a .tflite file as a runtime presents it to a delegate: tensors and nodes in the structures of
// tflite/tflite_abi.h. The file is not trusted (base/flatbuffer.h). Names, index lists and constants stay in the file's
// bytes, and structures point there.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/builtin_data.h"
#include "tflite/tflite_abi.h"

// A node and its registration, at the distance that abi_check.c expects.
struct tvmq_model_node {
  TfLiteNode node;
  TfLiteRegistration registration;
};

struct tvmq_model {
  size_t n_tensors, n_nodes;
  TfLiteTensor *tensors;  // those without data have no memory yet; dims have room for TVMQ_MAX_RANK dimensions, if that is enough
  struct tvmq_model_node *nodes;
  const TfLiteIntArray *inputs, *outputs;  // indices of tensors, in range

  TfLiteAllocation allocation;  // the file's bytes
  union tvmq_builtin_data *builtin_data;
  TfLiteAffineQuantization *quantization;
  void *memory;  // block that holds all arrays
};

// Reads a model of one graph. `bytes` must be aligned to 16 bytes, and remain until the model is released. Returns NULL,
// or a static string that says why the file is malformed or what in it is not supported; then nothing is allocated.
const char *tvmq_model_read(struct tvmq_model *model, const void *bytes, size_t size);
void tvmq_model_release(struct tvmq_model *model);
