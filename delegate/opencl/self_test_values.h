// Results of the self-test as C computes them.
#pragma once

#include <math.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "base/float_bits.h"

enum { TVMQ_SELF_TEST_KINDS = 8 };

static inline int32_t tvmq_self_test_byte(int32_t word, int i) { return (int8_t)((uint32_t)word >> 8 * i); }

// Computes the results of work item i, which reads the words a and b. Has the formulas of kernels/opencl/self_test.cl.
static inline void tvmq_self_test_values(enum tvmq_rounding rounding, int32_t a, int32_t b, int32_t i, int32_t results[TVMQ_SELF_TEST_KINDS]) {
  const uint32_t ua = (uint32_t)a, ub = (uint32_t)b, shifted = ua >> ub % 31;
  const float slope = ldexpf(1.0f + (float)(b & 0x7fffff) * 0x1p-23f, -(a & 15) - 1), whole = (float)(a >> 6);
  results[0] = tvmq_float_bits((float)a);
  results[1] = tvmq_float_bits(fmaf(slope, whole, (float)(b >> 20) * 0.125f));
  results[2] = (int32_t)lrintf((float)(a >> 8) * 0.5f);
  results[3] = i;
  for (int k = 0; k < 4; k++) results[3] += tvmq_self_test_byte(a, k) * tvmq_self_test_byte(b, k);
  results[4] = tvmq_high_multiply(a, b & INT32_MAX, (int32_t)(ua % 8));
  results[5] = tvmq_rescale(rounding, a >> 8, (b & 0x3fffffff) | 0x40000000, 7 - (int32_t)(ub % 28));
  results[6] = (int32_t)(((int64_t)a * b + (INT64_C(1) << 30)) >> 31);
  results[7] = (shifted == 0 ? 32 : __builtin_clz(shifted)) + tvmq_self_test_byte(a, 1) + (int32_t)(ub >> 24) * tvmq_self_test_byte(b, 2);
}
