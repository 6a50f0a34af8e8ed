// Pseudo-random tensor contents, with the same bytes on every machine.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Draws weights distributed as in trained networks: most are near 0. None is -128, unless `least` is set; then the
// first one is.
void tvmq_draw_weights(void *weights, size_t n, bool is_unsigned, bool least);

// Draws biases from -4096 to 4095. bytes: size of an element, 4 or 8.
void tvmq_draw_biases(void *biases, size_t n, size_t bytes);

// Draws bytes of any value, or floats between -4 and 4. Inputs with different `number` differ.
void tvmq_draw_input(void *input, size_t bytes, bool floats, int number);
