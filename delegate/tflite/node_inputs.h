// Describes a node's inputs for error messages about shapes.
#pragma once

#include <stddef.h>

#include "tflite/node_kind.h"

// Writes the shape of each input, "2x1001", or the values of a short integer constant, "{1, 1001}", separated by
// commas. Text that does not fit is cut off; `text` always ends with a NUL. The node's tensors may be malformed.
void tvmq_node_inputs(const TfLiteContext *context, const struct tvmq_node *node, char *text, size_t size);
