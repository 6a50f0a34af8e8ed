// Transposition of matrices of 1-, 2-, 4- and 8-byte elements.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- transpose: row r, column c of `in` becomes row c, column r of `out`
//
// Strides in bytes. The matrices do not overlap.
struct tvmq_transpose_args {
  const uint8_t *in;
  uint8_t *out;
  size_t element;        // bytes
  size_t rows, columns;  // size of the input matrix
  ptrdiff_t in_stride;   // from one row of the input to the next
  size_t out_stride;     // from one row of the output, a column of the input, to the next
};
typedef void (*tvmq_transpose_fn)(const struct tvmq_transpose_args *args);

// Returns whether elements of this size are supported.
static inline bool tvmq_transposes(size_t element) { return element == 1 || element == 2 || element == 4 || element == 8; }
