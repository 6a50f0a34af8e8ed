// Gemm at one Winograd point on AVX-VNNI: vpdpwssd, which wraps.
#include "kernels/x86/vex.h"

#define SYMBOL tvmq_winograd_gemm_s16_6x16c2__avxvnni
#define MULTIPLY_ADD TVMQ_VEX "vpdpwssd %2, %1, %0"
#define TEMPORARIES 0
#include "kernels/x86/winograd_gemm_avx2_tile.h"
