// Elementwise requantization and affine quantization.
#define ISA avx512vnni
#include "kernels/quantize_x86.h"
