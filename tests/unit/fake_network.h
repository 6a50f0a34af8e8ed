// The networks that the tests of the delegate run on the fake runtime.
#pragma once

#include "fake_runtime.h"
#include "tflite/node.h"

enum { NETWORK_H = 9, NETWORK_C = 5, NETWORK_FILTERS = 3 };

struct network {
  struct fake *fake;
  struct fake_subgraph *graph;
  int in, out;
  int conv, depthwise, quantize;  // nodes
  int filter, bias;               // tensors of the convolution
};

// CONV_2D 3x3, SAME, stride 1 -> [an operator that no delegate knows] -> DEPTHWISE_CONV_2D 3x3, VALID, stride 2 -> QUANTIZE, all int8.
struct network network_create(bool interrupted);

// Uninterrupted, in a runtime whose TfLiteRegistration has that size.
struct network network_create_sized(size_t registration_size);

// NULL, or why the delegate does not take a node, with `builtin_code` whatever the runtime's kernel has; and what it is read as. FULLY_CONNECTED is scaled in
// fixed point.
const char *network_claim(const struct network *network, int builtin_code, int node, union tvmq_desc *desc, struct tvmq_shapes *shapes);

// The delegate as a runtime makes it, silent unless the first pair is its log_severity. NULL: it reported an error, which network_message says.
TfLiteDelegate *network_delegate(const char *const *pairs);
const char *network_message(void);
void network_delegate_destroy(TfLiteDelegate *delegate);

// Allocates, fills the input from `seed`, runs, and copies the output to `out`; returns its size, 0 if something fails.
size_t network_run(struct network *network, unsigned long long seed, int8_t *out, size_t size);

// The same on a network of its own that no delegate touches, with the input resized to `dims` unless NULL.
size_t network_reference(bool interrupted, const int *dims, unsigned long long seed, int8_t *out, size_t size);
