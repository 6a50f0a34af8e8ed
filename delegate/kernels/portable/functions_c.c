// The C library's float32 functions: calls.
#define ISA c
enum { LANES = 4 };

#include "kernels/functions_template.h"

static void exps(const float *arguments, float *results, size_t n, uint32_t doubt) {
  (void)arguments;
  (void)doubt;
  for (size_t i = 0; i < n; i++) results[i] = -1;
}
