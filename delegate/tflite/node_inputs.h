// The inputs of a node in words, for messages on shapes that it cannot be computed in.
#pragma once

#include <stddef.h>

#include "tflite/node_kind.h"

// Writes the shape of each input, "2x1001", or the values of a short constant of integers, "{1, 1001}", with commas between; cut short where the text is full.
// `text` ends with NUL. The node's tensors may be malformed.
void tvmq_node_inputs(const TfLiteContext *context, const struct tvmq_node *node, char *text, size_t size);
