// GEMM of single rows and few channels on AVX-512 VNNI, which has vpdpbusd for 256 bits, too.
#define ENCODING ""
#include "kernels/x86/gemm_row_vnni_tile.h"

GEMM_ROW(tvmq_gemm_s8_1x16c4__avx512vnni, 2, 4)
