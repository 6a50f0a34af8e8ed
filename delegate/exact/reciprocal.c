#include "exact/reciprocal.h"

#include <float.h>
#include <math.h>

static float product(const struct tvmq_reciprocal *r, float x) { return r->rest > 0 ? fmaf(x, r->inverse, x * r->rest) : x * r->inverse; }

static bool agrees_at(const struct tvmq_reciprocal *r, float scale, float threshold) {
  float x = threshold * scale;
  while (x / scale >= threshold) x = nextafterf(x, 0);
  while (x / scale < threshold) x = nextafterf(x, INFINITY);
  return product(r, x) >= threshold && product(r, nextafterf(x, 0)) < threshold;
}

bool tvmq_reciprocal_serves(const struct tvmq_reciprocal *r, float scale, int32_t zero_point, int32_t min, int32_t max) {
  const int32_t above = max - zero_point, below = zero_point - min, farthest = above > below ? above : below;
  for (int32_t i = 0; i < farthest; i++) {
    if (!agrees_at(r, scale, (float)i + 0.5f)) return false;
  }
  // Floats just below 2^31 are 128 apart.
  for (int32_t i = 0; i <= (zero_point < 0 ? -zero_point : zero_point) / 128; i++) {
    if (!agrees_at(r, scale, 0x1p31f - 128.0f * (float)i)) return false;
  }
  return true;
}

bool tvmq_find_reciprocal(float scale, int32_t zero_point, int32_t min, int32_t max, struct tvmq_reciprocal *r) {
  if (!(scale >= FLT_MIN)) return false;  // a processor that takes subnormals for zero divides by zero, as the reference then does
  const double real = 1 / (double)scale;
  if (!(real > (double)FLT_MIN && real < (double)FLT_MAX)) return false;
  *r = (struct tvmq_reciprocal){.inverse = (float)real};
  if (tvmq_reciprocal_serves(r, scale, zero_point, min, max)) return true;
  // The inverse lies below the real number, so that the rest is positive: infinity times either is infinity of the same sign.
  if ((double)r->inverse >= real) r->inverse = nextafterf(r->inverse, 0);
  r->rest = (float)(real - (double)r->inverse);
  return r->rest >= FLT_MIN && tvmq_reciprocal_serves(r, scale, zero_point, min, max);
}
