// Constants that a graph of the model lists among its inputs: a program may set them before any inference. The C interface does not list a graph's inputs, so
// that they are read in the model's own bytes, which every constant's tensor names.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tflite/tflite_abi.h"

struct tvmq_graph_inputs {
  size_t n;
  const void *data[];  // of each such constant
};

// Those of all graphs of the model; none where the runtime does not show the model. NULL: out of memory.
struct tvmq_graph_inputs *tvmq_graph_inputs_create(const TfLiteContext *context);

// Whether one of the node's inputs is one of them.
bool tvmq_graph_inputs_read(const struct tvmq_graph_inputs *inputs, const TfLiteContext *context, const TfLiteNode *node);
