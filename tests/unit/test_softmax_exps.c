// Exps in fixed point: each as the definition in integers of any size gives it, and near the real one.
#include <math.h>
#include <stdlib.h>

#include "exact/softmax_exps.h"
#include "operators/quant_params.h"
#include "unit.h"

typedef __int128 wide;

// x / unit to the nearest integer; halves away from zero, or up.
static wide nearest(wide x, wide unit, bool away) {
  wide below = x / unit;
  if (below * unit > x) below--;
  const wide rest = 2 * (x - below * unit);
  return rest > unit || (rest == unit && (!away || x > 0)) ? below + 1 : below;
}

static wide product(wide a, wide b) { return nearest(a * b, (wide)1 << 31, false); }

// exp(a / 2^26), a <= 0, as Q0.31: gemmlowp's exp_on_negative_values, spelled out.
static wide oracle_exp(wide a) {
  static const int64_t powers[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  if (a == 0) return INT32_MAX;
  const wide quarter = 1 << 24;
  wide rest = a;
  int quarters = 0;
  for (; rest < -quarter; rest += quarter) quarters++;
  const wide x = rest * 32 + (1 << 28), x2 = product(x, x), x3 = product(x2, x), x4 = product(x2, x2);
  const wide series = x + nearest(product(nearest(x4, 4, true) + x3, 715827883) + x2, 2, true);
  wide exp = 1895147668 + product(1895147668, series);
  for (int i = 0; i < 7; i++) exp = quarters / (1 << i) % 2 != 0 ? product(exp, powers[i]) : exp;
  return exp;
}

// By the input's scale times beta.
static void check(double scale) {
  const double real = fmin(scale * 0x1p26, 0x1p31 - 1);
  int32_t multiplier, shift, exps[TVMQ_SOFTMAX_EXPS];
  tvmq_quantize_multiplier(real, &multiplier, &shift);
  const int32_t least = tvmq_softmax_exps(multiplier, shift, exps);
  CHECK(least == -(int32_t)floor(31 * 0x1p26 / ldexp(1, shift)), "scale %g: %d", scale, least);
  int wrong = 0, far = 0;
  for (int32_t d = -UINT8_MAX; d <= 0; d++) {
    const int32_t got = exps[UINT8_MAX + d];
    const wide wanted = d < least ? 0 : oracle_exp(product((wide)d * (1 << (shift < 31 ? shift : 30)) * (shift < 31 ? 1 : 2), multiplier));
    wrong += got != wanted;
    far += d >= least && fabs(got * 0x1p-31 - exp(d * real * 0x1p-26)) > 0x1p-22;
  }
  CHECK(wrong == 0 && far == 0, "scale %g: %d differ, %d are far from the real exps", scale, wrong, far);
}

int main(void) {
  unsigned long long state = 1;
  for (int i = 0; i < 400; i++) check(exp2((double)(unit_random(&state) >> 11) * 0x1p-53 * 32 - 26 + 0x1p-20));
  for (int e = -25; e <= 5; e++) check(ldexp(1, e));
  check(1 / 16.0);
  return unit_report();
}
