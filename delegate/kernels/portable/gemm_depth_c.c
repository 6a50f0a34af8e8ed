// Portable gemm of single rows and few channels: products along the depth, in loops that become vectors. Sums are added
// across at the end.
#include <string.h>

#include "kernels/kernel.h"

enum { CHANNELS = 4, STEP = 16 };

void tvmq_gemm_s8_1x4c16__c(const struct tvmq_gemm_args *args) {
  const int32_t *const bias = args->panel;
  const uint8_t *const *row = (const uint8_t *const *)args->rows;
  uint8_t *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++, out += args->out_stride) {
    const int8_t *weights = (const int8_t *)(bias + CHANNELS);
    uint32_t sums[CHANNELS][STEP] = {{0}}, acc[CHANNELS];
    for (size_t t = 0; t < args->n_taps; t++, row++) {
      for (size_t k = 0; k < args->k; k += STEP) {
        int16_t x[STEP];
        for (size_t j = 0; j < STEP; j++) x[j] = (int8_t)((*row)[k + j] ^ args->in_flip);
        for (size_t n = 0; n < CHANNELS; n++, weights += STEP) {
          int16_t w[STEP];
          for (size_t j = 0; j < STEP; j++) w[j] = weights[j];
          for (size_t j = 0; j < STEP; j++) sums[n][j] += (uint32_t)(x[j] * w[j]);
        }
      }
    }
    for (size_t n = 0; n < CHANNELS; n++) {
      acc[n] = (uint32_t)bias[n] + (uint32_t)args->row_terms[tile];
      for (size_t j = 0; j < STEP; j++) acc[n] += sums[n][j];
    }
    if (args->stage->sums) {
      memcpy(out, acc, sizeof acc);
      continue;
    }
    const int32_t *const multiplier = (const int32_t *)weights, *const shift = multiplier + CHANNELS;
    for (size_t n = 0; n < CHANNELS; n++) out[n] = (uint8_t)(tvmq_stage_s32(args->stage, (int32_t)acc[n], multiplier[n], shift[n]) ^ args->stage->flip);
  }
}
