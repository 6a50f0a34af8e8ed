#include "exact/reciprocal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/float_bits.h"
#include "base/inline.h"
#include "base/memo.h"
#include "cpu/cpu.h"
#include "exact/fractions.h"

TVMQ_INLINE float product(const struct tvmq_reciprocal *r, float x) { return r->rest > 0 ? fmaf(x, r->inverse, x * r->rest) : x * r->inverse; }

// Thresholds first + i * step for i = 0 .. n - 1. They are exact in float32, as are the next few, which fill a block.
struct thresholds {
  float first, step;
  int32_t n;
};

static float threshold_at(const struct thresholds *t, int32_t i) { return t->first + t->step * (float)i; }

// Returns 0 if quotient and product reach the threshold at the same float. The quotient x / scale rounds to the threshold
// from the middle between it and the float before it; in the middle itself, it rounds to the even one of the two. The
// middle has 25 bits and the scale 24, so float64 holds their product exactly. x is a float, so x is above the product
// if it is not below the next float64.
TVMQ_INLINE int32_t doubt_at(const struct tvmq_reciprocal *r, float scale, float threshold) {
  const int32_t bits = tvmq_float_bits(threshold);  // positive floats have the same order as their bits
  double least = 0.5 * ((double)threshold + (double)tvmq_float_of(bits - 1)) * (double)scale;
  int64_t least_bits;
  memcpy(&least_bits, &least, sizeof least_bits);
  least_bits += bits & 1;
  memcpy(&least, &least_bits, sizeof least);
  const float nearest = (float)least;
  const int32_t reaching = tvmq_float_bits(nearest) + ((double)nearest < least);
  const int32_t is_late = product(r, tvmq_float_of(reaching)) < threshold, is_early = product(r, tvmq_float_of(reaching - 1)) >= threshold;
  return is_late | is_early;
}

// Number of thresholds that are examined together, as vectors.
enum { BLOCK = 16 };

TVMQ_INLINE bool agrees_at_all(const struct tvmq_reciprocal *r, float scale, const struct thresholds *t) {
  const struct tvmq_reciprocal by = *r;
  const struct thresholds all = *t;
  for (int32_t begin = 0; begin < all.n; begin += BLOCK) {
    int32_t doubt = 0;
    for (int32_t i = begin; i < begin + BLOCK; i++) doubt |= doubt_at(&by, scale, threshold_at(&all, i));
    for (int32_t i = begin; doubt != 0 && i < tvmq_min_s64(begin + BLOCK, all.n); i++) {
      if (doubt_at(&by, scale, threshold_at(&all, i)) != 0) return false;
    }
  }
  return true;
}

// Returns whether inverse and rest together are so near 1 / scale that quotient and product are less than 2^-44 of
// themselves apart before they are rounded. The product with the rest is rounded by up to 2^-24 of itself.
TVMQ_INLINE bool is_close(const struct tvmq_reciprocal *r, float scale) {
  return r->rest > 0 && r->rest <= r->inverse * 0x1p-22f && fabs(((double)r->inverse + (double)r->rest) * (double)scale - 1) <= 0x1p-46;
}

enum { CODE_BITS = 23, MOST_CODES = 1 << CODE_BITS };

// Returns whether a close reciprocal agrees at the thresholds i + 1/2 for 0 <= i < n <= MOST_CODES. Quotient and product can only
// disagree at a float within 2^-44 of middle * scale (see doubt_at()). Let the scale be S * 2^j with an integer S of 24
// bits. For thresholds in (2^b, 2^(b+1)) the middle is i + 1/2 - 2^(b-24), and floats near middle * scale are multiples
// of 2^(b+j). In this unit middle * scale is (i + 1/2) S / 2^b - S / 2^24, an arithmetic progression below 2^25. Where
// it is not within 2^-19 of an integer, no float is that near.
TVMQ_INLINE bool agrees_at_codes(const struct tvmq_reciprocal *r, float scale, int32_t n) {
  enum { NEAR = 1 << 13 };
  const uint32_t integer = ((uint32_t)tvmq_float_bits(scale) & ((1u << 23) - 1)) | 1u << 23;
  if (n > 0 && doubt_at(r, scale, 0.5f) != 0) return false;
  for (int32_t b = 0; b < CODE_BITS && 1 << b < n; b++) {
    const int32_t begin = 1 << b;
    const uint32_t half = integer << (31 - b);
    const struct tvmq_fractions f = tvmq_fractions(half - (integer << 8), 2 * half, (uint32_t)tvmq_min_s64(begin, n - begin), NEAR);
    if (tvmq_none_is_near(&f)) continue;
    for (uint32_t i = 0; i < f.n; i++) {
      if (tvmq_is_near(&f, i) && doubt_at(r, scale, (float)(begin + (int32_t)i) + 0.5f) != 0) return false;
    }
  }
  return true;
}

TVMQ_INLINE bool serves(const struct tvmq_reciprocal *r, float scale, int32_t zero_point, int32_t n_codes) {
  const struct thresholds codes = {0.5f, 1, n_codes};
  // Floats just below 2^31 are 128 apart.
  const struct thresholds ends = {0x1p31f, -128, (zero_point < 0 ? -zero_point : zero_point) / 128 + 1};
  const bool is_quick = n_codes <= MOST_CODES && is_close(r, scale);
  return (is_quick ? agrees_at_codes(r, scale, n_codes) : agrees_at_all(r, scale, &codes)) && agrees_at_all(r, scale, &ends);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static bool serves_by_avx2(const struct tvmq_reciprocal *r, float scale, int32_t zero_point, int32_t n_codes) {
  return serves(r, scale, zero_point, n_codes);
}
#endif

bool tvmq_reciprocal_serves(const struct tvmq_reciprocal *r, float scale, int32_t zero_point, int32_t min, int32_t max) {
  const int32_t above = max - zero_point, below = zero_point - min, farthest = above > below ? above : below;
  if (r->rest == 0 && (double)r->inverse * (double)scale == 1) return true;  // a power of two
#if defined(__x86_64__)
  if ((tvmq_cpu_detect() & TVMQ_CPU_AVX2) != 0) return serves_by_avx2(r, scale, zero_point, farthest);
#endif
  return serves(r, scale, zero_point, farthest);
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
