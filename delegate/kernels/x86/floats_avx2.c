// Arithmetic on float32.
#define ISA avx2
#include "kernels/floats_template.h"
