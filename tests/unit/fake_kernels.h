// The fake runtime's own kernels, int8 only: plain loops over the definitions, on the oracle's arithmetic.
#pragma once

#include "tflite/tflite_abi.h"

enum { FAKE_BUILTIN_OTHER = 8 };  // FLOOR in the schema; an operator that no delegate knows

// The kernel of a builtin operator: ADD without activation, CONCATENATION, CONV_2D, DEPTHWISE_CONV_2D, PAD, QUANTIZE, or any other, which adds 1 to each byte.
const TfLiteRegistration *fake_kernel(int builtin_code);
