// GEMM on AVX-VNNI: rows of unsigned bytes (a_offset 128), four depths a step. vpdpbusd does not saturate.
#include "kernels/x86/vex.h"

#define MULTIPLY_ADD TVMQ_VEX "vpdpbusd %2, %1, %0"
#define TEMPORARIES 0
#define OPERAND_BYTES 1
#include "kernels/x86/gemm_avx2_tile.h"

// One body per combination of flip and path of the output stage, both of which are decided once per call.
void tvmq_gemm_s8_6x16c4__avxvnni(const struct tvmq_gemm_args *args) {
  const enum tvmq_path path = tvmq_gemm_path(args, CHANNELS, OPERAND_BYTES);
  if (args->in_flip != 0)
    TVMQ_FOR_PATH_OR_SUMS(path, gemm, args, true, 6);
  else
    TVMQ_FOR_PATH_OR_SUMS(path, gemm, args, false, 6);
}
