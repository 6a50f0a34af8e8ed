// GEMM of 16x8 on AVX2: 6 rows x 16 channels.
//
// Registers: ymm0-11 accumulators, two of weights, one of a row, one of products on their way to an accumulator.
// Hazards: the products are assembly. With intrinsics, compilers hoist more of the products than there are registers.
#include "kernels/x86/stage_x86.h"

enum { ROWS = 6 };

TVMQ_INLINE vec multiply_add(vec acc, vec x, vec w) {
  vec product;
  __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(acc), "=&x"(product) : "x"(x), "x"(w));
  return acc;
}

#include "kernels/x86/gemm_s16_x86_tile.h"

void tvmq_gemm_s16_6x16c2__avx2(const struct tvmq_gemm_args *args) { TVMQ_FOR_FIXED_PATH(tvmq_stage_path(args->stage), gemm_s32, args); }
void tvmq_gemm_s16_6x16c2a64__avx2(const struct tvmq_gemm_args *args) { gemm_s64(args); }
