// Tensors that are made up: the same bytes on every machine.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Weights as trained networks have them: most near 0, none of -128 unless `least` is set, and then one.
void tvmq_draw_weights(void *weights, size_t n, bool is_unsigned, bool least);

// Biases of 4 or 8 bytes, a few thousand in size.
void tvmq_draw_biases(void *biases, size_t n, size_t bytes);

// Any bytes; or floats between -4 and 4. Inputs of other numbers differ.
void tvmq_draw_input(void *input, size_t bytes, bool floats, int number);
