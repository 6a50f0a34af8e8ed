// Hybrid convolutions.
#define ISA c
#include "kernels/hybrid_template.h"
