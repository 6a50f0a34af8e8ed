// Paths of the vector output stages of x86; the path is chosen once per call or panel.
#pragma once

#include "arithmetic/stage.h"
#include "base/inline.h"
#include "kernels/kernel.h"

enum tvmq_path {
  TVMQ_PATH_LONG,       // any stage
  TVMQ_PATH_SHORT,      // right shifts with headroom, ties away from zero
  TVMQ_PATH_UPWARD,     // the same, ties up: tvmq_stage_ties_up()
  TVMQ_PATH_FLOAT,      // the panel is in float form
  TVMQ_PATH_FLOAT_ODD,  // the same, odd: tvmq_stage_is_odd()
  TVMQ_PATH_SUMS        // stores the accumulators
};

TVMQ_INLINE enum tvmq_path tvmq_stage_path(const struct tvmq_stage *stage) {
  if (!stage->right_shifts || !stage->headroom || stage->rounding == TVMQ_ROUNDING_SINGLE) return TVMQ_PATH_LONG;
  return tvmq_stage_ties_up(stage) ? TVMQ_PATH_UPWARD : TVMQ_PATH_SHORT;
}

// Returns the path of a panel, given its multipliers.
TVMQ_INLINE enum tvmq_path tvmq_panel_path(const struct tvmq_stage *stage, const int32_t *multiplier) {
  if (stage->sums) return TVMQ_PATH_SUMS;
  if (multiplier[0] >= 0) return tvmq_stage_path(stage);
  return tvmq_stage_is_odd(stage) ? TVMQ_PATH_FLOAT_ODD : TVMQ_PATH_FLOAT;
}

// Returns the path of a gemm's first panel; weights have weight_bytes bytes.
TVMQ_INLINE enum tvmq_path tvmq_gemm_path(const struct tvmq_gemm_args *args, size_t nr, size_t weight_bytes) {
  const size_t before = nr * (sizeof(int32_t) + args->n_taps * args->k * weight_bytes);
  return tvmq_panel_path(args->stage, (const int32_t *)((const char *)args->panel + before));
}

// Returns whether the short path is exact for a requantization of int8 or int16 with reference rounding: the value
// before the shift, plus rounding and zero point, must not overflow.
TVMQ_INLINE bool tvmq_quantize_headroom(const struct tvmq_quantize_args *args) {
  const int64_t zero_point = args->out_zero_point;
  return args->shift <= -1 && args->shift >= -22 && (zero_point < 0 ? -zero_point : zero_point) << -args->shift <= 1 << 30;
}

// Calls body(..., path) with a compile-time constant path: of the fixed-point paths, of all that requantize, or of all.
#define TVMQ_FOR_FIXED_PATH(path, body, ...) \
  do {                                       \
    switch (path) {                          \
      case TVMQ_PATH_SHORT:                  \
        body(__VA_ARGS__, TVMQ_PATH_SHORT);  \
        break;                               \
      case TVMQ_PATH_UPWARD:                 \
        body(__VA_ARGS__, TVMQ_PATH_UPWARD); \
        break;                               \
      default:                               \
        body(__VA_ARGS__, TVMQ_PATH_LONG);   \
        break;                               \
    }                                        \
  } while (0)
#define TVMQ_FOR_PATH(path, body, ...)               \
  do {                                               \
    const enum tvmq_path taken = (path);             \
    if (taken == TVMQ_PATH_FLOAT)                    \
      body(__VA_ARGS__, TVMQ_PATH_FLOAT);            \
    else if (taken == TVMQ_PATH_FLOAT_ODD)           \
      body(__VA_ARGS__, TVMQ_PATH_FLOAT_ODD);        \
    else                                             \
      TVMQ_FOR_FIXED_PATH(taken, body, __VA_ARGS__); \
  } while (0)
#define TVMQ_FOR_PATH_OR_SUMS(path, body, ...) \
  do {                                         \
    const enum tvmq_path which = (path);       \
    if (which == TVMQ_PATH_SUMS)               \
      body(__VA_ARGS__, TVMQ_PATH_SUMS);       \
    else                                       \
      TVMQ_FOR_PATH(which, body, __VA_ARGS__); \
  } while (0)
