// Max pooling.
#define ISA avx512vnni
#include "kernels/max_pool_x86.h"
