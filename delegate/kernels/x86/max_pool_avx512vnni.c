// Max pooling.
#define ISA avx512vnni
#include "kernels/x86/max_pool_x86.h"
