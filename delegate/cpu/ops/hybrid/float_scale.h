// Scales by which TFLite's hybrid kernels quantize float32 activations: one scale for each image, or for each row of
// FULLY_CONNECTED.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "operators/desc.h"

// real = scale * (step - zero_point); step = round(real * inverse) + zero_point.
struct tvmq_float_scale {
  float scale, inverse;
  int32_t zero_point;
};

// Returns the scale of activations in [low, high]; low <= 0 <= high.
struct tvmq_float_scale tvmq_float_scale(enum tvmq_hybrid hybrid, bool asymmetric, float low, float high);
