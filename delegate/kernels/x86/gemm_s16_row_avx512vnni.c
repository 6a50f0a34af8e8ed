// GEMM of 16x8 on AVX-512 VNNI for single rows: 1 row x 32 channels, with the panels of the kernel for twelve rows.
//
// Registers: zmm0-1 accumulators, two of weights, one of a row. Hazards: vpdpwssd wraps.
#include "kernels/x86/stage_x86.h"

enum { ROWS = 1 };

TVMQ_INLINE vec multiply_add(vec acc, vec x, vec w) { return _mm512_dpwssd_epi32(acc, x, w); }

#include "kernels/x86/gemm_s16_x86_tile.h"

void tvmq_gemm_s16_1x32c2__avx512vnni(const struct tvmq_gemm_args *args) { TVMQ_FOR_FIXED_PATH(tvmq_stage_path(args->stage), gemm_s32, args); }
void tvmq_gemm_s16_1x32c2a64__avx512vnni(const struct tvmq_gemm_args *args) { gemm_s64(args); }
