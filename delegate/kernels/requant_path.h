// Which way the vector output stages of x86 take, decided once a call.
#pragma once

#include "inline.h"
#include "kernel.h"

enum tvmq_path {
  TVMQ_PATH_LONG,   // any stage
  TVMQ_PATH_SHORT,  // right shifts with headroom, reference rounding
  TVMQ_PATH_UPWARD  // the same, upward rounding; or reference rounding where what lies below the zero point is clamped (ReLU), above which the two agree
};

TVMQ_INLINE enum tvmq_path tvmq_stage_path(const struct tvmq_stage *stage) {
  if (!stage->right_shifts || !stage->headroom || stage->rounding == TVMQ_ROUNDING_SINGLE) return TVMQ_PATH_LONG;
  return stage->rounding == TVMQ_ROUNDING_UPWARD || stage->min >= stage->zero_point ? TVMQ_PATH_UPWARD : TVMQ_PATH_SHORT;
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
