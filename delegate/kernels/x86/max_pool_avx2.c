// Max pooling.
#define ISA avx2
#include "kernels/x86/max_pool_x86.h"
