// Depthwise of 16x8 on AVX-512 VNNI, any filter and stride: 32 channels.
#include "kernels/x86/stage_x86.h"

TVMQ_INLINE vec multiply_add(vec acc, vec x, vec w) { return _mm512_dpwssd_epi32(acc, x, w); }

#include "kernels/x86/depthwise_s16_x86_tile.h"

void tvmq_depthwise_s16_1x32v2a64__avx512vnni(const struct tvmq_depthwise_args *args) { tvmq_depthwise_tiles(args, 1, sizeof(vec), single_row); }
