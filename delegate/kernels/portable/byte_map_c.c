// Portable map of bytes by a table.
#include "kernels/kernel.h"

// Copies every argument, because the compiler must assume that stored bytes alias the arguments.
void tvmq_byte_map__c(const struct tvmq_byte_map_args *args) {
  const uint8_t *const in = args->in, *const table = args->map->table;
  uint8_t *const out = args->out;
  const size_t n = args->n;
  for (size_t i = 0; i < n; i++) out[i] = table[in[i]];
}
