#include "operators/softmax_scale.h"

#include <math.h>

#include "operators/quant_params.h"

enum { FRACTION_BITS = 26, MOST_SHIFT = 30 };

bool tvmq_softmax_scale(const struct tvmq_softmax_desc *desc, int32_t *multiplier, int32_t *shift) {
  if (desc->in_type == TVMQ_TYPE_S16) {
    // The product is float32, as in the reference.
    const double real = (double)(desc->in.scale * desc->beta) / (10.0 / 65535.0);
    if (!isfinite(real) || real <= 0) return false;
    tvmq_quantize_multiplier(real, multiplier, shift);
    return *shift <= MOST_SHIFT;
  }
  const double real = (double)desc->beta * (double)desc->in.scale * (1 << FRACTION_BITS);
  if (!isfinite(real) || real <= 1) return false;  // the reference aborts
  tvmq_quantize_multiplier(fmin(real, (double)INT32_MAX), multiplier, shift);
  return true;
}
