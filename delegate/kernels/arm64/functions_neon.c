// The C library's float32 functions in NEON vectors.
#include <arm_neon.h>

#define ISA neon
enum { LANES = 4, WIDTH = 2, VECTORS = 8 };

#include "kernels/exps_vectors.h"
#include "kernels/functions_template.h"

TVMQ_INLINE doubles widen(const float *in) { return (doubles)vcvt_f64_f32(vld1_f32(in)); }
TVMQ_INLINE void narrow(float *out, doubles x) { vst1_f32(out, vcvt_f32_f64((float64x2_t)x)); }
TVMQ_INLINE doubles fused(doubles a, doubles b, doubles c) { return (doubles)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b); }
