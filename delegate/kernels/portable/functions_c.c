// The C library's float32 functions: calls.
#define ISA c
enum { LANES = 4 };

#include "kernels/functions_template.h"
