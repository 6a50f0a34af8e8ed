// Replaces float64 products by fixed-point products.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Adjusts *multiplier and *shift so that rescaling with a single rounding (stage.h) equals x * real in float64, rounded
// half away from zero. This holds for every integer |x| <= bound, with both results clamped to [min, max]. On entry,
// *multiplier and *shift are the nearest to `real`, as tvmq_quantize_multiplier() returns them. `real` is positive.
// Returns false if no multiplier next to the nearest is exact, or if the accumulator or the product may exceed int32.
// Takes 0.2 microseconds for the 256 values of a byte.
bool tvmq_fit_product(double real, int64_t bound, int32_t min, int32_t max, int32_t *multiplier, int32_t *shift);
