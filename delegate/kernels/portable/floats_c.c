// Arithmetic on float32.
#define ISA c
#include "kernels/floats_template.h"
