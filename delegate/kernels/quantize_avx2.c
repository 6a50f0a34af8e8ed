// Elementwise requantization and affine quantization.
#define ISA avx2
#include "kernels/quantize_x86.h"
