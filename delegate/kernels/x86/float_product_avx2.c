// Product of two matrices of float32.
#define ISA avx2
#define VECTOR 32
#include "kernels/float_product_template.h"
