// ADD and SUB of bytes in 32-bit arithmetic.
//
// There are 65,536 pairs of int8. So planning can test a formula on all doubtful pairs, although no theorem proves the
// formula exact (fit_plane.h):
//
//   sum(a, b) = a x multiplier[0] + b x multiplier[1] + bias
//   value(a, b) = sat8((sum - (sum < knee ? drop : 0)) >> shift)
//
// where sat8 clamps to int8. A few pairs may be listed as exceptions: the reference rounds each input before the
// addition, which bends the plane by about 2^-19. Sometimes two pairs then contradict each other. If scales have ratios
// of small integers, many sums are ties, which go away from zero. `drop` handles the ties of negative sums. The sum
// fits int32 for every pair, with the drop and without. Kernels multiply by parts of 16 and 8 bits: a multiplier is 256
// high + low, with low either in [0, 255] or in [-127, 127]. The multiplier of a subtracted input is negative.
#pragma once

#include <stdint.h>

enum { TVMQ_PLANE_MIN_SHIFT = 16, TVMQ_PLANE_MAX_SHIFT = 24, TVMQ_PLANE_MAX_MULTIPLIER = (INT16_MAX << 8) + INT8_MAX };

enum { TVMQ_PLANE_MAX_EXCEPTIONS = 4 };

struct tvmq_plane_exception {
  int8_t in[2], value;  // a pair of inputs and its output, clamped like the operator's output
};

struct tvmq_plane {
  int32_t multiplier[2];  // |multiplier| <= TVMQ_PLANE_MAX_MULTIPLIER, not 128 modulo 256
  int32_t bias;
  int32_t shift;  // [TVMQ_PLANE_MIN_SHIFT, TVMQ_PLANE_MAX_SHIFT]
  int32_t drop, knee;
  int32_t n_exceptions;                                               // 0 if there is a drop
  struct tvmq_plane_exception exceptions[TVMQ_PLANE_MAX_EXCEPTIONS];  // all of different pairs
};

// Returns exception e. For e after the last exception, returns the last one, so kernels may always test
// TVMQ_PLANE_MAX_EXCEPTIONS.
static inline const struct tvmq_plane_exception *tvmq_plane_exception(const struct tvmq_plane *plane, int32_t e) {
  return &plane->exceptions[e < plane->n_exceptions ? e : plane->n_exceptions > 0 ? plane->n_exceptions - 1 : 0];
}
