// Output of Winograd tiles.
#define ISA avx2
#define LANES 8
#include "kernels/x86/winograd_output_x86.h"
