// Product of two matrices of float32.
#define ISA avx2
#define VECTOR 32
enum { VECTORS = 2 };
#include "kernels/float_product_template.h"
