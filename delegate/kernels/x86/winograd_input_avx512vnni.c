// Transform of Winograd inputs in AVX-512 vectors.
#include <immintrin.h>

#define SYMBOL tvmq_winograd_input_s8_32c__avx512vnni
#define LANES 32
#define WIDEN(x) ((values)_mm512_cvtepi8_epi16((__m256i)(x)))
#include "kernels/winograd_input_template.h"
