// Max pooling in vectors of 128 bits, for pixels that are shorter than a vector of AVX2.
#define ISA avx2
#define VECTOR_BITS 128
#define S8 s8_16c
#define U8 u8_16c
#define S16 s16_8c
#include "kernels/x86/max_pool_x86.h"
