// Portable ARG_MAX of bytes side by side.
#include <string.h>

#include "kernels/kernel.h"

void tvmq_arg_max__c(const struct tvmq_arg_max_args *args) {
  const struct tvmq_arg_max_args a = *args;
  for (size_t r = 0; r < a.rows; r++) {
    const uint8_t *const row = a.in + r * a.depth;
    uint8_t greatest = 0;
    for (size_t k = 0; k < a.depth; k++) {
      const uint8_t x = row[k] ^ a.flip;
      greatest = x > greatest ? x : greatest;
    }
    a.found[r] = (int32_t)((const uint8_t *)memchr(row, greatest ^ a.flip, a.depth) - row);
  }
}
