// Hybrid convolutions.
#define ISA avx512vnni
#include "kernels/x86/hybrid_x86.h"
