// Transposition of matrices of 1-, 2-, 4- and 8-byte elements.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Strides in bytes; rows of the input become columns of the output.
struct tvmq_transposition {
  const uint8_t *in;
  uint8_t *out;
  size_t rows, columns;  // size of the input matrix
  ptrdiff_t in_stride;   // from one row of the input to the next
  size_t out_stride;     // from one row of the output, a column of the input, to the next
};

bool tvmq_transposes(size_t element_bytes);  // returns whether elements of this size are supported
void tvmq_transpose(const struct tvmq_transposition *matrix, size_t element_bytes);
