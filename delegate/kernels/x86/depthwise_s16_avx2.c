// Depthwise of 16x8 on AVX2, any filter and stride: 16 channels.
#include "kernels/x86/stage_x86.h"

TVMQ_INLINE vec multiply_add(vec acc, vec x, vec w) { return _mm256_add_epi32(acc, _mm256_madd_epi16(x, w)); }

#include "kernels/x86/depthwise_s16_x86_tile.h"

void tvmq_depthwise_s16_1x16v2a64__avx2(const struct tvmq_depthwise_args *args) { tvmq_depthwise_tiles(args, 1, sizeof(vec), single_row); }
