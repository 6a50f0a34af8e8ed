// How hybrid kernels of TFLite quantize float32 activations that are scaled together: those of an image, or of a row of FULLY_CONNECTED.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "operators/desc.h"

// real = scale * (step - zero_point); step = real * inverse, rounded, + zero_point.
struct tvmq_float_scale {
  float scale, inverse;
  int32_t zero_point;
};

// The scale of activations from low to high, low <= 0 <= high.
struct tvmq_float_scale tvmq_float_scale(enum tvmq_hybrid hybrid, bool asymmetric, float low, float high);
