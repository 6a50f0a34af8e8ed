// Sum that is rescaled once, as in MEAN and SUM.
#pragma once

#include <stdint.h>

#include "arithmetic/stage.h"

// rescale(sum + bias) + zero_point.
struct tvmq_rescaled_sum {
  enum tvmq_rounding rounding;
  int32_t bias, zero_point;
  int32_t multiplier, shift;  // Q31, >0 left, <=0 right
};

static inline int32_t tvmq_rescaled(const struct tvmq_rescaled_sum *r, int32_t sum) {
  return tvmq_add_wrap(tvmq_rescale(r->rounding, tvmq_add_wrap(sum, r->bias), r->multiplier, r->shift), r->zero_point);
}
