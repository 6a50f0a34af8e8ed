// Replaces division by a constant with a multiplication, for affine quantization.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The product fma(x, inverse, x * rest) in float32, or x * inverse if the rest is 0, may replace the quotient x /
// scale. Both are rounded half away from zero, added to the zero point modulo 2^32, and clamped. The results are then
// equal for every x, infinities and NaN included.
//
// Product and quotient are odd and non-decreasing in x, if arithmetic rounds to nearest (unless the host has changed
// the mode). So they are compared where the result changes: at the least x whose quotient reaches a threshold, and at
// the float below. Thresholds lie between output values, and where the sum with the zero point begins to wrap.
struct tvmq_reciprocal {
  float inverse, rest;
};

// Returns whether the reciprocal may replace division by `scale` for outputs from min to max.
bool tvmq_reciprocal_serves(const struct tvmq_reciprocal *reciprocal, float scale, int32_t zero_point, int32_t min, int32_t max);

// Finds a reciprocal; without a rest if that is exact, as for powers of two. Returns false if none is found.
bool tvmq_find_reciprocal(float scale, int32_t zero_point, int32_t min, int32_t max, struct tvmq_reciprocal *reciprocal);
