// Portable gemm at one Winograd point. Tile: 4 rows x 8 channels; reads weights one depth (8 channels) at a time.
#include "kernels/kernel.h"

enum { ROWS = 4, CHANNELS = 8 };

void tvmq_winograd_gemm_s16_4x8__c(const struct tvmq_winograd_gemm_args *args) {
  const int16_t *values = args->values;
  int32_t *sums = args->sums;
  for (size_t row = 0; row < args->n_rows; row += ROWS, values += ROWS * args->values_stride, sums += ROWS * CHANNELS) {
    uint32_t acc[ROWS][CHANNELS] = {0};
    const int16_t *weights = args->weights;
    for (size_t k = 0; k < args->k; k++, weights += CHANNELS) {
      for (size_t m = 0; m < ROWS; m++) {
        const int16_t value = values[m * args->values_stride + k];
        for (size_t n = 0; n < CHANNELS; n++) acc[m][n] += (uint32_t)(value * weights[n]);
      }
    }
    for (size_t m = 0; m < ROWS; m++) {
      for (size_t n = 0; n < CHANNELS; n++) sums[m * CHANNELS + n] = (int32_t)acc[m][n];
    }
  }
}
