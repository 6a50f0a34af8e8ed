// Sum or difference of two quantized tensors.
#define ISA avx512vnni
#include "kernels/x86/add_x86.h"
