// Hybrid convolutions.
#define ISA neon
#include "kernels/hybrid_template.h"
