// Max pooling.
#define ISA avx2
#include "kernels/max_pool_x86.h"
