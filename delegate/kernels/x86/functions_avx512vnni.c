// The C library's float32 functions in AVX-512 vectors.
#include <immintrin.h>

#define TVMQ_FDLIBM
#define ISA avx512vnni
enum { LANES = 16, WIDTH = 8, VECTORS = 4 };

#include "kernels/exps_vectors.h"
#include "kernels/functions_template.h"

TVMQ_INLINE doubles widen(const float *in) { return (doubles)_mm512_cvtps_pd(_mm256_loadu_ps(in)); }
TVMQ_INLINE void narrow(float *out, doubles x) { _mm256_storeu_ps(out, _mm512_cvtpd_ps((__m512d)x)); }
TVMQ_INLINE doubles fused(doubles a, doubles b, doubles c) { return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
