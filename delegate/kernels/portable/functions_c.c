// The C library's float32 functions, which it calls, and GELU.
#define ISA c
enum { LANES = 4 };
#if defined __aarch64__
#define TVMQ_FUSED
#endif

#include "kernels/functions_template.h"

TVMQ_INLINE bool any(masks mask) {
  bool found = false;
  for (int j = 0; j < LANES; j++) found |= mask[j] != 0;
  return found;
}

#if defined __aarch64__
#include "kernels/reciprocal_estimate.h"

TVMQ_INLINE floats multiply_add(floats a, floats b, floats c) {
  floats sum;
  for (int j = 0; j < LANES; j++) sum[j] = __builtin_fmaf(a[j], b[j], c[j]);
  return sum;
}

TVMQ_INLINE floats reciprocal(floats x) {
  floats y;
  for (int j = 0; j < LANES; j++) y[j] = tvmq_reciprocal(x[j]);
  return y;
}
#endif
