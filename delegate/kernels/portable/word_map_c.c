// Portable map of int16.
#include "kernels/kernel.h"

// Copies the function's numbers, because the compiler must assume that stored elements alias them.
void tvmq_word_map__c(const struct tvmq_word_map_args *args) {
  const struct tvmq_word_map *const map = args->map;
  const int16_t *const in = args->in;
  int16_t *const out = args->out;
  const size_t n = args->n;
  for (size_t i = 0; i < n; i++) out[i] = tvmq_word_map_value(map, in[i]);
}
