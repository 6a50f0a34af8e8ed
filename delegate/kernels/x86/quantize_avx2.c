// Elementwise requantization and affine quantization.
#define ISA avx2
#include "kernels/x86/quantize_x86.h"
