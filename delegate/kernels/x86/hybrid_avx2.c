// Hybrid convolutions.
#define ISA avx2
#include "kernels/x86/hybrid_x86.h"
