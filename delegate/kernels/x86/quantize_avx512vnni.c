// Elementwise requantization and affine quantization.
#define ISA avx512vnni
#include "kernels/x86/quantize_x86.h"
