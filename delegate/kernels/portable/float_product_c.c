// Product of two matrices of float32.
#define ISA c
#define VECTOR 16
enum { VECTORS = 2 };
#include "kernels/float_product_template.h"
