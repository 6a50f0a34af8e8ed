#include "cpu/ops/hybrid/float_scale.h"

#include <math.h>

enum { MAX = INT8_MAX, MIN = INT8_MIN };

static struct tvmq_float_scale symmetric(float low, float high) {
  const float most = fmaxf(-low, high);
  return (struct tvmq_float_scale){.scale = most / MAX, .inverse = MAX / most};
}

// Returns the zero point that is exact at the lower or at the upper end of the range, whichever has the smaller error.
static int32_t zero_point(double below, double above) {
  const double at_min = MIN - below, at_max = MAX - above, error_min = -MIN + fabs(below), error_max = MAX + fabs(above);
  const double value = error_min < error_max ? at_min : at_max;
  if (!(value > MIN)) return MIN;
  return value >= MAX ? MAX : (int32_t)(value < 0 ? value - 0.5 : value + 0.5);
}

struct tvmq_float_scale tvmq_float_scale(enum tvmq_hybrid hybrid, bool asymmetric, float low, float high) {
  if (low == 0 && high == 0) return (struct tvmq_float_scale){.scale = 1};  // all activations are zero
  if (!asymmetric) return symmetric(low, high);
  const double range = hybrid == TVMQ_HYBRID_PORTABLE ? (double)high - (double)low : (double)(high - low), step = range / (MAX - MIN);
  const float scale = (float)step;
  return (struct tvmq_float_scale){.scale = scale, .inverse = 1 / scale, .zero_point = zero_point((double)low / step, (double)high / step)};
}
