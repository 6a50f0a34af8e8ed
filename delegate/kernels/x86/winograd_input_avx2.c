// Transform of Winograd inputs in AVX2 vectors.
#include <immintrin.h>

#define SYMBOL tvmq_winograd_input_s8_16c__avx2
#define LANES 16
#define WIDEN(x) ((values)_mm256_cvtepi8_epi16((__m128i)(x)))
#include "kernels/winograd_input_template.h"
