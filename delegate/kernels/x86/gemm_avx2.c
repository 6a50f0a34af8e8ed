// GEMM on AVX2: rows of int16, two depths a step. pmaddwd adds two products of int16, which cannot overflow; then a vector add.
#define MULTIPLY_ADD "vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0"
#define TEMPORARIES 1
#define OPERAND_BYTES 2
#include "kernels/x86/gemm_avx2_tile.h"

// Rows need no flip here: the caller flips them when widening.
void tvmq_gemm_s8_4x16c2__avx2(const struct tvmq_gemm_args *args) {
  TVMQ_FOR_PATH_OR_SUMS(tvmq_gemm_path(args, CHANNELS, OPERAND_BYTES), gemm, args, false, 4);
}
void tvmq_gemm_s8_6x16c2__avx2(const struct tvmq_gemm_args *args) {
  TVMQ_FOR_PATH_OR_SUMS(tvmq_gemm_path(args, CHANNELS, OPERAND_BYTES), gemm, args, false, 6);
}
