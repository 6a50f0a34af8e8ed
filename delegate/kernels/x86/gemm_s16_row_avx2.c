// GEMM of 16x8 on AVX2 for single rows: 1 row x 16 channels, with the panels of the kernel for six rows.
//
// Registers: ymm0-1 accumulators, two of weights, one of a row.
#include "kernels/x86/stage_x86.h"

enum { ROWS = 1 };

TVMQ_INLINE vec multiply_add(vec acc, vec x, vec w) { return _mm256_add_epi32(acc, _mm256_madd_epi16(x, w)); }

#include "kernels/x86/gemm_s16_x86_tile.h"

void tvmq_gemm_s16_1x16c2__avx2(const struct tvmq_gemm_args *args) { TVMQ_FOR_FIXED_PATH(tvmq_stage_path(args->stage), gemm_s32, args); }
void tvmq_gemm_s16_1x16c2a64__avx2(const struct tvmq_gemm_args *args) { gemm_s64(args); }
