// Constants that a graph lists among its inputs. A program may set them before any inference. The C interface does not
// list a graph's inputs, so they are read from the model's bytes, to which every constant tensor has a pointer.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tflite/tflite_abi.h"

struct tvmq_graph_inputs {
  size_t n;
  const void *data[];  // of each such constant
};

// Lists these constants for all graphs of the model. The list is empty if the model's bytes are not accessible. Returns
// NULL if out of memory.
struct tvmq_graph_inputs *tvmq_graph_inputs_create(const TfLiteContext *context);

// Returns whether the node reads one of these constants.
bool tvmq_graph_inputs_read(const struct tvmq_graph_inputs *inputs, const TfLiteContext *context, const TfLiteNode *node);
