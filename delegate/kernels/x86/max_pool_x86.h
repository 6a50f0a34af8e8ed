// Max pooling, for AVX2 and AVX-512. The includer defines ISA. If it defines VECTOR_BITS too, it defines S8, U8 and S16: the
// types and tiles in the names of its kernels.
#pragma once

#include "kernels/kernel.h"
#include "kernels/x86/vector_x86.h"

#define VECTOR (VECTOR_BITS / 8)
#define BLOCK (VECTOR_BITS == 256 ? 2 : 4)

TVMQ_INLINE vec splat(int32_t x, enum tvmq_type type) { return type == TVMQ_TYPE_S16 ? MM(set1_epi16)((int16_t)x) : MM(set1_epi8)((int8_t)x); }

TVMQ_INLINE vec larger(vec x, vec y, enum tvmq_type type) {
  return type == TVMQ_TYPE_S16 ? MM(max_epi16)(x, y) : type == TVMQ_TYPE_U8 ? MM(max_epu8)(x, y) : MM(max_epi8)(x, y);
}

TVMQ_INLINE vec smaller(vec x, vec y, enum tvmq_type type) {
  return type == TVMQ_TYPE_S16 ? MM(min_epi16)(x, y) : type == TVMQ_TYPE_U8 ? MM(min_epu8)(x, y) : MM(min_epi8)(x, y);
}

#include "kernels/max_pool_template.h"

#ifndef S8
#define S8 s8
#define U8 u8
#define S16 s16
#endif
#define PASTE(tile, isa) tvmq_max_pool_##tile##__##isa
#define SYMBOL(tile, isa) PASTE(tile, isa)

void SYMBOL(S8, ISA)(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_S8); }
void SYMBOL(U8, ISA)(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_U8); }
void SYMBOL(S16, ISA)(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_S16); }
