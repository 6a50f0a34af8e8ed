// Product of two quantized tensors, or square of their difference.
#define ISA avx2
#include "kernels/x86/mul_x86.h"
