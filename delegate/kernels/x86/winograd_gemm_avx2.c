// Gemm at one Winograd point on AVX2: vpmaddwd, whose sum of two products fits int32 (kernels/winograd.h), and a
// wrapping addition.
#define SYMBOL tvmq_winograd_gemm_s16_6x16c2__avx2
#define MULTIPLY_ADD "vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0"
#define TEMPORARIES 1
#include "kernels/x86/winograd_gemm_avx2_tile.h"
