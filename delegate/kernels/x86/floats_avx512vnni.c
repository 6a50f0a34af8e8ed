// Arithmetic on float32.
#define ISA avx512vnni
#include "kernels/floats_template.h"
