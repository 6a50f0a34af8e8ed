// GEMM of single rows on AVX-VNNI.
#include "kernels/x86/vex.h"

#define ENCODING TVMQ_VEX
#include "kernels/x86/gemm_row_vnni_tile.h"

GEMM_ROW(tvmq_gemm_s8_1x16c4__avxvnni, 2, 4)
GEMM_ROW(tvmq_gemm_s8_1x64c4__avxvnni, 8, 1)
