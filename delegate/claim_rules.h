// What the rules of several operators rest on.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "types.h"

// 32-bit accumulators are shifted left before they are multiplied.
enum { MAX_SHIFT_32 = 30 };

static inline bool good_scale(float scale) { return isfinite(scale) && scale > 0; }
static inline bool fits_type(int32_t value, enum tvmq_type type) { return value >= tvmq_type_range(type).min && value <= tvmq_type_range(type).max; }

// TFLite indexes tensors by int.
static inline bool too_many(int32_t a, int32_t b, int32_t c, int32_t d) {
  int32_t n;
  return __builtin_mul_overflow(a, b, &n) || __builtin_mul_overflow(n, c, &n) || __builtin_mul_overflow(n, d, &n);
}
