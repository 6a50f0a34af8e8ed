// Sum or difference of two quantized tensors.
#define ISA avx2
#include "kernels/x86/add_x86.h"
