// Scales by which TFLite's hybrid kernels quantize float32 activations: one scale for each image, or for each row of
// FULLY_CONNECTED.
#pragma once

#include <stdbool.h>

#include "kernels/hybrid.h"
#include "operators/desc.h"

// Returns the scale of activations in [low, high]; low <= 0 <= high.
struct tvmq_float_scale tvmq_float_scale(enum tvmq_hybrid hybrid, bool asymmetric, float low, float high);
