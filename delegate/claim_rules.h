// What the rules of several operators rest on.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "desc.h"

// 32-bit accumulators are shifted left before they are multiplied.
enum { MAX_SHIFT_32 = 30 };

static inline bool good_scale(float scale) { return isfinite(scale) && scale > 0; }
static inline bool fits_type(int32_t value, enum tvmq_type type) { return value >= tvmq_type_range(type).min && value <= tvmq_type_range(type).max; }

// TFLite indexes tensors by int.
static inline bool too_many(int32_t a, int32_t b, int32_t c, int32_t d) {
  int32_t n;
  return __builtin_mul_overflow(a, b, &n) || __builtin_mul_overflow(n, c, &n) || __builtin_mul_overflow(n, d, &n);
}

static inline const char *activation_rule(enum tvmq_activation activation) {
  switch (activation) {
    case TVMQ_ACTIVATION_NONE:
    case TVMQ_ACTIVATION_RELU:
    case TVMQ_ACTIVATION_RELU6:
    case TVMQ_ACTIVATION_RELU_N1_TO_1:
      return NULL;
    case TVMQ_ACTIVATION_OTHER:
      break;
  }
  return "fused activation is not NONE, RELU, RELU6 or RELU_N1_TO_1";
}

// TFLite quantizes the bounds to int32. `out` has a good scale.
static inline const char *activation_range_rule(enum tvmq_activation activation, struct tvmq_quant out) {
  const float bound = activation == TVMQ_ACTIVATION_RELU6 ? 6 : activation == TVMQ_ACTIVATION_RELU_N1_TO_1 ? 1 : 0;
  return bound / out.scale < 1 << 30 ? NULL : "output scale is too small for the bounds of the fused activation";
}
