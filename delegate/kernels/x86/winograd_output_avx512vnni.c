// Output of Winograd tiles.
#define ISA avx512vnni
#define LANES 16
#include "kernels/x86/winograd_output_x86.h"
