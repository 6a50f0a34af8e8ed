// Hybrid convolutions.
#define ISA avx512vnni
#include "kernels/hybrid_template.h"
