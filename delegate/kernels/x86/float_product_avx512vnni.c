// Product of two matrices of float32.
#define ISA avx512vnni
#define VECTOR 64
#include "kernels/float_product_template.h"
