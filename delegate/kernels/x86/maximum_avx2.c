// Maximum and minimum of two tensors.
#define ISA avx2
#include "kernels/x86/maximum_x86.h"
