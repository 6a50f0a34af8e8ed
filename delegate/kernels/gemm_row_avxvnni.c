// GEMM of single rows on AVX-VNNI.
#include "kernels/vex.h"

#define ENCODING TVMQ_VEX
#include "kernels/gemm_row_vnni_tile.h"

GEMM_ROW(tvmq_gemm_s8_1x16c4__avxvnni, 2, 4)
GEMM_ROW(tvmq_gemm_s8_1x64c4__avxvnni, 8, 1)
