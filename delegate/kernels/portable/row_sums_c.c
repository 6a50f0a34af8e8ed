// Portable row sums.
#include "kernels/kernel.h"

void tvmq_row_sums__c(const struct tvmq_row_sums_args *args) {
  for (size_t m = 0; m < args->n; m++) {
    const void *const *row = args->rows + m / args->mr * args->n_taps * args->mr + m % args->mr;
    uint32_t sum = 0;
    for (size_t t = 0; t < args->n_taps; t++) {
      const uint8_t *tap = row[t * args->mr];
      for (size_t k = 0; k < args->k; k++) sum += tap[k] ^ args->mask;
    }
    args->terms[m] = (int32_t)((sum - (uint32_t)args->offset) * (uint32_t)args->factor);
  }
}
