// Maximum and minimum of two tensors.
#define ISA avx512vnni
#include "kernels/maximum_x86.h"
