// Maximum and minimum of two tensors.
#define ISA avx512vnni
#include "kernels/x86/maximum_x86.h"
