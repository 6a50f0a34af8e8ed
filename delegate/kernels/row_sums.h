// Sums of the rows of a gemm.
#pragma once

#include <stddef.h>
#include <stdint.h>

// ---- row sums: terms[m] = factor * (sum over taps t and bytes i of (rows[..][i] ^ mask) - offset), modulo 2^32
//
// Computes the term that a filter zero point adds to each row of a gemm. Bytes are unsigned. `rows` is the gemm's table
// for tiles of mr rows. The kernel sums n <= row_tiles * mr rows.
struct tvmq_row_sums_args {
  const void *const *rows;
  size_t n, mr, n_taps;
  size_t k;      // bytes per tap, any number
  uint8_t mask;  // xor on each byte: 0, or 0x80
  int32_t offset, factor;
  int32_t *terms;  // [n]
};
typedef void (*tvmq_row_sums_fn)(const struct tvmq_row_sums_args *args);
