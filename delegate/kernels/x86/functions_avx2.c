// The C library's float32 functions in AVX2 vectors.
#include <immintrin.h>

#define TVMQ_FDLIBM
#define ISA avx2
enum { LANES = 8, WIDTH = 4, VECTORS = 4 };

#include "kernels/exps_vectors.h"
#include "kernels/functions_template.h"

TVMQ_INLINE doubles widen(const float *in) { return (doubles)_mm256_cvtps_pd(_mm_loadu_ps(in)); }
TVMQ_INLINE void narrow(float *out, doubles x) { _mm_storeu_ps(out, _mm256_cvtpd_ps((__m256d)x)); }
TVMQ_INLINE doubles fused(doubles a, doubles b, doubles c) { return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
