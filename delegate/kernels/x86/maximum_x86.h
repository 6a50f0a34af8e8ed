// Maximum and minimum of two tensors, for AVX2 and AVX-512. The includer defines ISA.
#pragma once

#include "kernels/x86/vector_x86.h"

TVMQ_INLINE vec every(uint8_t x) { return MM(set1_epi8)((char)x); }
TVMQ_INLINE vec load(const uint8_t *p) { return vec_load(p); }
TVMQ_INLINE void store(uint8_t *p, vec x) { vec_store(p, x); }
TVMQ_INLINE vec exclusive(vec a, vec b) { return vec_xor(a, b); }
TVMQ_INLINE vec greater_s8(vec a, vec b) { return MM(max_epi8)(a, b); }
TVMQ_INLINE vec greater_s16(vec a, vec b) { return MM(max_epi16)(a, b); }

#include "kernels/maximum_template.h"
