// A multiplier that is found gives what float64 gives, and is found for nearly every scale that a model may hold.
#include <math.h>

#include "arithmetic/stage.h"
#include "exact/fit_product.h"
#include "operators/quant_params.h"
#include "unit.h"

static int32_t wanted(double real, int64_t x, int32_t min, int32_t max) { return (int32_t)fmin(fmax(round((double)x * real), min), max); }

static bool same_at(double real, int64_t x, int32_t min, int32_t max, int32_t multiplier, int32_t shift) {
  return tvmq_clamp(tvmq_rescale_single((int32_t)x, multiplier, shift), min, max) == wanted(real, x, min, max);
}

// Compares around every half that lies within the bound, at its ends and at random places.
static bool fits(double real, int64_t bound, int32_t min, int32_t max) {
  static unsigned long long state = 7;
  int32_t multiplier, shift;
  tvmq_quantize_multiplier(real, &multiplier, &shift);
  if (!tvmq_fit_product(real, bound, min, max, &multiplier, &shift)) return false;
  int wrong = !same_at(real, bound, min, max, multiplier, shift) + !same_at(real, -bound, min, max, multiplier, shift);
  for (int32_t value = min - 1; value <= max + 1; value++) {
    const double half = (value - 0.5) / real;
    for (int beside = -2; beside <= 2 && fabs(half) < (double)bound - 3; beside++) wrong += !same_at(real, (int64_t)half + beside, min, max, multiplier, shift);
  }
  for (int i = 0; i < 1000; i++) {
    const int64_t x = (int64_t)(unit_random(&state) % (2 * (unsigned long long)bound + 1)) - bound;
    wrong += !same_at(real, x, min, max, multiplier, shift);
  }
  CHECK(wrong == 0, "%a, accumulators up to %lld: %d differ", real, (long long)bound, wrong);
  CHECK(multiplier == 0 || multiplier >= 1 << 30, "%a: multiplier %d", real, multiplier);
  return true;
}

int main(void) {
  unsigned long long state = 1;
  enum { ROUNDS = 1000 };
  int found = 0;
  for (int i = 0; i < ROUNDS; i++) {
    const double real = exp2((double)(unit_random(&state) >> 11) * 0x1p-53 * 14 - 14);
    const int32_t zero_point = (int32_t)(unit_random(&state) >> 56) - 128;
    found += fits(i % 4 ? real : exp2(floor(log2(real))), (INT64_C(1) << 31) - 1 - (1 << 20), -128 - zero_point, 127 - zero_point) || real > 0.9;
  }
  CHECK(found == ROUNDS, "%d of %d", found, ROUNDS);
  CHECK(fits(0x1p-20, 1 << 22, -128, 127) && fits(1.1e-6, 1 << 22, -128, 127) && fits(1e-12, 1 << 22, -128, 127), "hardly anything");
  CHECK(fits(3.7, 1 << 22, -128, 127) && fits(1, 1 << 22, -128, 127) && fits(0x1p8, 1 << 22, -128, 127), "no less than 1");
  CHECK(fits(0x1p-5, 1 << 22, 0, 0), "one value");
  CHECK(fits(0x1p-5 * (1 - 0x1p-34), 1 << 22, -128, 127) && fits(0x1p-5 * (1 + 0x1p-34), 1 << 22, -128, 127), "nearly ties");
  CHECK(fits(0x1p-5 * (1 - 0x1p-53), 1 << 22, -128, 127) && fits(0x1p-5 * (1 + 0x1p-52), 1 << 22, -128, 127), "as near to ties as can be");
  CHECK(!fits(1024, 1 << 22, -128, 127), "products beyond int32");
  CHECK(!fits(0.001, INT64_C(1) << 31, -128, 127), "accumulators beyond int32");
  CHECK(!fits(1.23456789e-5, INT32_MAX, -32768, 32767), "more steps than a multiplier tells apart");
  return unit_report();
}
