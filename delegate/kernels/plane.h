// ADD of bytes in 32 bits.
//
// Two int8 make 65,536 pairs, so a formula that no theorem makes exact can be tried on all of them when planning (fit_plane.h):
//
//   value(a, b) = sat8((a x multiplier[0] + b x multiplier[1] + bias) >> shift)
//
// where sat8 clamps to int8. The sum fits int32 for every pair. Kernels multiply by parts of 16 and 8 bits: a multiplier is 256 high + low with low either in
// [0, 255] or in [-127, 127].
#pragma once

#include <stdint.h>

enum { TVMQ_PLANE_MIN_SHIFT = 16, TVMQ_PLANE_MAX_SHIFT = 24, TVMQ_PLANE_MAX_MULTIPLIER = (INT16_MAX << 8) + INT8_MAX };

struct tvmq_plane {
  int32_t multiplier[2];  // [0, TVMQ_PLANE_MAX_MULTIPLIER], neither 128 modulo 256
  int32_t bias;
  int32_t shift;  // [TVMQ_PLANE_MIN_SHIFT, TVMQ_PLANE_MAX_SHIFT]
};
