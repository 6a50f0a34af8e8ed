// SOFTMAX of bytes in AVX-512 vectors.
#define ISA avx512vnni

#include "kernels/softmax_lookup.h"
#include "kernels/x86/softmax_rows_avx512.h"
