// Hybrid convolutions.
#define ISA avx2
#include "kernels/hybrid_template.h"
