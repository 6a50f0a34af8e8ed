// A fused line has the least lift that gives an intercept within the window, or there is none: what trying one lift after the other finds.
#include <math.h>

#include "exact/fused_line.h"
#include "unit.h"

static int64_t below(unsigned long long *state, int64_t n) { return (int64_t)(unit_random(state) >> 1) % n; }

static double drawn(unsigned long long *state) { return (double)below(state, 1 << 20) / (1 << 20); }

// The intercept from `least` on, and less than one above, that a lift gives: the product and whole numbers are exact in double.
static double intercept_of(float slope, int32_t lift, double least) {
  const double product = (double)slope * lift;
  return product - floor(product - least);
}

static bool find(float slope, double least, double most, int32_t first, int32_t n, int32_t *lift) {
  for (*lift = first; *lift < first + n; ++*lift) {
    if (intercept_of(slope, *lift, least) <= most) return true;
  }
  return false;
}

static int check(unsigned long long *state, float slope, double width) {
  const double least = slope * (4 * drawn(state) - 2), most = least + slope * width;
  const int32_t n = 1 + (int32_t)below(state, 3000), lo = -(int32_t)below(state, 1 << 23), hi = lo + TVMQ_FUSED_ACCUMULATORS - n;
  int32_t lift;
  struct tvmq_fused_line line;
  const bool wanted = find(slope, least, most, (1 << 23) - lo, n, &lift), found = tvmq_fuse_line(slope, least, most, lo, hi, &line);
  CHECK(found == wanted, "slope %a, intercepts from %a to %a, accumulators from %d to %d: %s", (double)slope, least, most, lo, hi,
        found ? "found" : "not found");
  if (!found || !wanted) return 0;
  CHECK(line.lift == lift, "slope %a, intercepts from %a to %a: lift %d, not %d", (double)slope, least, most, line.lift, lift);
  const double intercept = (double)slope * line.lift + ((double)line.addend - TVMQ_FUSED_ZERO);
  CHECK(intercept >= least && intercept <= most, "slope %a, intercepts from %a to %a: %a", (double)slope, least, most, intercept);
  return 1;
}

int main(void) {
  unsigned long long state = 1;
  enum { ROUNDS = 3000 };
  int found = 0;
  for (int i = 0; i < ROUNDS; i++)
    found += check(&state, ldexpf((float)(0.5 + drawn(&state) / 2), -(int)below(&state, 14)), i % 3 == 0 ? 0.001 : drawn(&state));
  CHECK(found > ROUNDS / 2 && found < ROUNDS, "%d of %d found", found, ROUNDS);
  // Slopes of few bits, whose products recur.
  for (int eighths = 4; eighths <= 8; eighths++) {
    for (int exponent = 0; exponent < 14; exponent++) check(&state, ldexpf((float)eighths / 8, -exponent), drawn(&state));
  }
  // A lift beyond 2^24, whose product float32 may not hold.
  struct tvmq_fused_line line;
  CHECK(tvmq_fuse_line(1, -0.4, 0.4, -(1 << 23) - 3, -8, &line) && line.lift + (double)line.addend == TVMQ_FUSED_ZERO, "lift %d, addend %a", line.lift,
        (double)line.addend);
  CHECK(!tvmq_fuse_line(0x1p-16f, 0, 0x1p-16, -1000, 1000, &line), "a slope below 2^-15");
  CHECK(!tvmq_fuse_line(1.5f, 0, 1, -1000, 1000, &line), "a slope above 1");
  CHECK(!tvmq_fuse_line(0.01f, 0.001, 0, -1000, 1000, &line), "an empty window");
  CHECK(!tvmq_fuse_line(0.01f, 0, 0.01, -1000, 1 << 23, &line), "more accumulators than there are numbers");
  CHECK(!tvmq_fuse_line(0.01f, 0, 0.01, (INT64_C(1) << 30) - 10, (INT64_C(1) << 30) + 1, &line), "accumulators beyond 2^30");
  return unit_report();
}
