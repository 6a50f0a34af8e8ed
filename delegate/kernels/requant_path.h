// Which way the vector output stages of x86 take, decided once a call.
#pragma once

#include "inline.h"
#include "requant.h"

enum tvmq_path {
  TVMQ_PATH_LONG,   // any stage
  TVMQ_PATH_SHORT,  // right shifts with headroom, ties away from zero
  TVMQ_PATH_UPWARD  // the same, ties up: tvmq_stage_ties_up()
};

TVMQ_INLINE enum tvmq_path tvmq_stage_path(const struct tvmq_stage *stage) {
  if (!stage->right_shifts || !stage->headroom || stage->rounding == TVMQ_ROUNDING_SINGLE) return TVMQ_PATH_LONG;
  return tvmq_stage_ties_up(stage) ? TVMQ_PATH_UPWARD : TVMQ_PATH_SHORT;
}

// Whether the short path serves a requantization of int8 or int16 with reference rounding: rounding and zero point fit beside the value before the shift.
TVMQ_INLINE bool tvmq_requantize_headroom(const struct tvmq_requantize_args *args) {
  const int64_t zero_point = args->out_zero_point;
  return args->shift <= -1 && args->shift >= -22 && (zero_point < 0 ? -zero_point : zero_point) << -args->shift <= 1 << 30;
}

// body(..., path) with a constant path.
#define TVMQ_FOR_PATH(stage, body, ...)      \
  do {                                       \
    switch (tvmq_stage_path(stage)) {        \
      case TVMQ_PATH_LONG:                   \
        body(__VA_ARGS__, TVMQ_PATH_LONG);   \
        break;                               \
      case TVMQ_PATH_SHORT:                  \
        body(__VA_ARGS__, TVMQ_PATH_SHORT);  \
        break;                               \
      case TVMQ_PATH_UPWARD:                 \
        body(__VA_ARGS__, TVMQ_PATH_UPWARD); \
        break;                               \
    }                                        \
  } while (0)
