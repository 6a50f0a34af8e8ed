// GEMM of 16x8 on AVX-512 VNNI: 12 rows x 32 channels.
//
// Registers: zmm0-23 accumulators, two of weights, one or two of rows.
// Hazards: vpdpwssd wraps. As an intrinsic gcc 12 spills the accumulators of large tiles; as an instruction it does not.
#include "kernels/x86/stage_x86.h"

enum { ROWS = 12 };

TVMQ_INLINE vec multiply_add(vec acc, vec x, vec w) {
  __asm__("vpdpwssd %2, %1, %0" : "+v"(acc) : "v"(x), "v"(w));
  return acc;
}

#include "kernels/x86/gemm_s16_x86_tile.h"

void tvmq_gemm_s16_12x32c2__avx512vnni(const struct tvmq_gemm_args *args) { TVMQ_FOR_FIXED_PATH(tvmq_stage_path(args->stage), gemm_s32, args); }
void tvmq_gemm_s16_12x32c2a64__avx512vnni(const struct tvmq_gemm_args *args) { gemm_s64(args); }
