// Product of two quantized tensors, or square of their difference.
#define ISA avx2
#include "kernels/mul_x86.h"
