// ADD and SUB of bytes in 32 bits.
//
// Two int8 make 65,536 pairs, so a formula that no theorem makes exact can be tried on all that are in doubt when planning (fit_plane.h):
//
//   sum(a, b) = a x multiplier[0] + b x multiplier[1] + bias
//   value(a, b) = sat8((sum - (sum < knee ? drop : 0)) >> shift)
//
// where sat8 clamps to int8, but for a few pairs that are listed: the reference rounds each input before it adds, which bends the plane by some 2^-19, and now
// and then two pairs contradict each other. Where the scales have ratios of small integers many sums are ties, which go away from zero: hence `drop`, for
// negative sums. The sum fits int32 for every pair, with the drop and without. Kernels multiply by parts of 16 and 8 bits: a multiplier is 256 high + low with
// low either in [0, 255] or in [-127, 127]. That of an input which is subtracted is negative.
#pragma once

#include <stdint.h>

enum { TVMQ_PLANE_MIN_SHIFT = 16, TVMQ_PLANE_MAX_SHIFT = 24, TVMQ_PLANE_MAX_MULTIPLIER = (INT16_MAX << 8) + INT8_MAX };

enum { TVMQ_PLANE_MAX_EXCEPTIONS = 4 };

struct tvmq_plane_exception {
  int8_t in[2], value;  // clamped as the operator's output is
};

struct tvmq_plane {
  int32_t multiplier[2];  // at most TVMQ_PLANE_MAX_MULTIPLIER in size, neither 128 modulo 256
  int32_t bias;
  int32_t shift;  // [TVMQ_PLANE_MIN_SHIFT, TVMQ_PLANE_MAX_SHIFT]
  int32_t drop, knee;
  int32_t n_exceptions;                                               // 0 where there is a drop
  struct tvmq_plane_exception exceptions[TVMQ_PLANE_MAX_EXCEPTIONS];  // of as many different pairs
};

// As many for every plane: past the last it is the last again.
static inline const struct tvmq_plane_exception *tvmq_plane_exception(const struct tvmq_plane *plane, int32_t e) {
  return &plane->exceptions[e < plane->n_exceptions ? e : plane->n_exceptions > 0 ? plane->n_exceptions - 1 : 0];
}
