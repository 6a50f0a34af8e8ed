// Product of two quantized tensors, or square of their difference.
#define ISA avx512vnni
#include "kernels/x86/mul_x86.h"
