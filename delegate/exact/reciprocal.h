// Division by a constant as a multiplication, for affine quantization.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// fma(x, inverse, x * rest), in float32, or x * inverse where the rest is 0, may stand for x / scale: rounded half away from zero, with the zero point added
// modulo 2^32 and clamped, both give the same for every x, infinities and NaN included.
//
// Both are odd and never fall as x grows (arithmetic rounds to nearest, as it does unless the host has changed that), so they are compared where the result
// changes: at the least x whose quotient reaches a threshold, and at the float below. The thresholds are those between the values of the output, and those from
// where the sum with the zero point wraps.
struct tvmq_reciprocal {
  float inverse, rest;
};

// For outputs from min to max.
bool tvmq_reciprocal_serves(const struct tvmq_reciprocal *reciprocal, float scale, int32_t zero_point, int32_t min, int32_t max);

// One without a rest if that serves, as for powers of two. False: none was found.
bool tvmq_find_reciprocal(float scale, int32_t zero_point, int32_t min, int32_t max, struct tvmq_reciprocal *reciprocal);
