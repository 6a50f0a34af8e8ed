// Maximum and minimum of two tensors.
#define ISA avx2
#include "kernels/maximum_x86.h"
