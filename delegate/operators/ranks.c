#include "operators/ranks.h"

#include "operators/quant_params.h"

enum { LEFT_SHIFT = 8 };  // of each byte, before it is rescaled

struct tvmq_scale tvmq_comparison_scale(float scale) {
  struct tvmq_scale fixed;
  tvmq_quantize_multiplier(scale, &fixed.multiplier, &fixed.shift);
  return fixed;
}

void tvmq_comparison_ranks(const struct tvmq_condition_desc *desc, enum tvmq_rounding rounding, int32_t ranks[2][TVMQ_N_BYTES]) {
  for (int i = 0; i < 2; i++) {
    const struct tvmq_scale scale = tvmq_comparison_scale(desc->in[i].scale);
    for (int x = 0; x < TVMQ_N_BYTES; x++) {
      const int32_t value = tvmq_byte_value(desc->type, (uint8_t)x) - desc->in[i].zero_point;
      ranks[i][x] = tvmq_rescale(rounding, value * (1 << LEFT_SHIFT), scale.multiplier, scale.shift);
    }
  }
}
