#include "exact/reciprocal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "base/memo.h"
#include "cpu/cpu.h"

TVMQ_INLINE float product(const struct tvmq_reciprocal *r, float x) { return r->rest > 0 ? fmaf(x, r->inverse, x * r->rest) : x * r->inverse; }

static bool agrees_at(const struct tvmq_reciprocal *r, float scale, float threshold) {
  float x = threshold * scale;
  while (x / scale >= threshold) x = nextafterf(x, 0);
  while (x / scale < threshold) x = nextafterf(x, INFINITY);
  return product(r, x) >= threshold && product(r, nextafterf(x, 0)) < threshold;
}

// Thresholds first + i * step for i = 0 .. n - 1. They are exact in float32, as are the next few, which fill a block.
struct thresholds {
  float first, step;
  int32_t n;
};

static float threshold_at(const struct thresholds *t, int32_t i) { return t->first + t->step * (float)i; }

// Number of thresholds that are examined together, as vectors.
enum { BLOCK = 16 };

// Returns whether quotient and product reach each threshold of a block at the same float. That float must be the one
// nearest to threshold * scale or next to it.
TVMQ_INLINE bool agree_nearby(const struct tvmq_reciprocal *r, float scale, const struct thresholds *t, int32_t begin) {
  const struct tvmq_reciprocal by = *r;
  int32_t doubt = 0;
  for (int32_t i = begin; i < begin + BLOCK; i++) {
    const float threshold = threshold_at(t, i), nearest = threshold * scale;
    int32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    for (int32_t k = -2; k <= 1; k++) {
      const int32_t beside = bits + k;  // positive floats have the same order as their bits
      float x;
      memcpy(&x, &beside, sizeof x);
      const int32_t reaches = x / scale >= threshold;
      doubt |= reaches ^ (product(&by, x) >= threshold);
      if (k == -2 || k == 1) doubt |= reaches ^ (k == 1);
    }
  }
  return doubt == 0;
}

TVMQ_INLINE bool agrees_at_all(const struct tvmq_reciprocal *r, float scale, const struct thresholds *t) {
  for (int32_t begin = 0; begin < t->n; begin += BLOCK) {
    if (agree_nearby(r, scale, t, begin)) continue;
    for (int32_t i = begin; i < begin + BLOCK && i < t->n; i++) {
      if (!agrees_at(r, scale, threshold_at(t, i))) return false;
    }
  }
  return true;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static bool agrees_by_avx2(const struct tvmq_reciprocal *r, float scale, const struct thresholds *t) {
  return agrees_at_all(r, scale, t);
}
#endif

static bool agrees(const struct tvmq_reciprocal *r, float scale, const struct thresholds *t) {
#if defined(__x86_64__)
  if ((tvmq_cpu_detect() & TVMQ_CPU_AVX2) != 0) return agrees_by_avx2(r, scale, t);
#endif
  return agrees_at_all(r, scale, t);
}

bool tvmq_reciprocal_serves(const struct tvmq_reciprocal *r, float scale, int32_t zero_point, int32_t min, int32_t max) {
  const int32_t above = max - zero_point, below = zero_point - min, farthest = above > below ? above : below;
  const struct thresholds codes = {0.5f, 1, farthest};
  // Floats just below 2^31 are 128 apart.
  const struct thresholds ends = {0x1p31f, -128, (zero_point < 0 ? -zero_point : zero_point) / 128 + 1};
  return agrees(r, scale, &codes) && agrees(r, scale, &ends);
}

static bool find(float scale, int32_t zero_point, int32_t min, int32_t max, struct tvmq_reciprocal *r) {
  if (!(scale >= FLT_MIN)) return false;  // if the processor treats subnormals as zero, the reference divides by zero
  const double real = 1 / (double)scale;
  if (!(real > (double)FLT_MIN && real < (double)FLT_MAX)) return false;
  *r = (struct tvmq_reciprocal){.inverse = (float)real};
  if (tvmq_reciprocal_serves(r, scale, zero_point, min, max)) return true;
  // The inverse is below the real number, so the rest is positive. Infinity times the inverse and infinity times the
  // rest then have the same sign.
  if ((double)r->inverse >= real) r->inverse = nextafterf(r->inverse, 0);
  r->rest = (float)(real - (double)r->inverse);
  return r->rest >= FLT_MIN && tvmq_reciprocal_serves(r, scale, zero_point, min, max);
}

struct question {
  float scale;
  int32_t zero_point, min, max;
};

struct answer {
  bool found;
  struct tvmq_reciprocal reciprocal;
};

TVMQ_MEMO(reciprocals, struct question, struct answer, 256);

bool tvmq_find_reciprocal(float scale, int32_t zero_point, int32_t min, int32_t max, struct tvmq_reciprocal *r) {
  const struct question question = {scale, zero_point, min, max};
  struct answer answer = {0};
  if (!tvmq_memo_find(&reciprocals, &question, &answer)) {
    answer.found = find(scale, zero_point, min, max, &answer.reciprocal);
    tvmq_memo_keep(&reciprocals, &question, &answer);
  }
  *r = answer.reciprocal;
  return answer.found;
}
