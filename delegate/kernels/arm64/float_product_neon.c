// Product of two matrices of float32.
#define ISA neon
#define VECTOR 16
enum { VECTORS = 4 };
#include "kernels/float_product_template.h"
