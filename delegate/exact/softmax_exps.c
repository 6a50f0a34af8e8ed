#include "exact/softmax_exps.h"

#include <assert.h>

#include "arithmetic/stage.h"

enum { QUARTER_BITS = 24, ONE_BITS = 26 };  // Q5.26: 1/4 is 2^24, and 1 is 2^26

static int32_t product(int32_t a, int32_t b) { return tvmq_high_multiply(a, b, 0); }

// Returns x / 2^n rounded to the nearest integer, ties away from zero.
static int32_t divided(int32_t x, int32_t n) { return (int32_t)(((int64_t)x + (INT64_C(1) << (n - 1)) - (x < 0)) >> n); }

// Returns exp(a) for a in [-1/4, 0), both in Q0.31. Computes the series around -1/8, in which the third and the fourth
// power are added before they are divided.
static int32_t exp_of_quarter(int32_t a) {
  const int32_t exp_of_eighth = 1895147668, third = 715827883;
  const int32_t x = a + (1 << 28), x2 = product(x, x), x3 = product(x2, x), x4 = product(x2, x2);
  const int32_t rest = divided(product(divided(x4, 2) + x3, third) + x2, 1);
  return exp_of_eighth + product(x + rest, exp_of_eighth);
}

// Returns exp(a) in Q0.31 for a <= 0 in Q5.26. It is the exp of the rest modulo 1/4, times exp(-2^i / 4) for each set
// bit i of the number of quarters.
static int32_t exp_of(int32_t a) {
  // exp of -1/4, -1/2, -1, -2, -4, -8, -16 in Q0.31
  static const int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  if (a == 0) return INT32_MAX;
  const int32_t quarter = 1 << QUARTER_BITS, rest = (a & (quarter - 1)) - quarter, quarters = (rest - a) >> QUARTER_BITS;
  int32_t exp = exp_of_quarter(rest * (1 << (31 - ONE_BITS)));
  for (int i = 0; i < 7; i++) {
    if ((quarters >> i & 1) != 0) exp = product(exp, powers[i]);
  }
  return exp;
}

int32_t tvmq_softmax_exps(int32_t multiplier, int32_t shift, int32_t exps[TVMQ_SOFTMAX_EXPS]) {
  assert(multiplier >= 1 << 30 && shift >= 0 && shift <= 31);
  const int32_t least = -(int32_t)((INT64_C(31) << ONE_BITS) >> shift);
  for (int32_t d = -UINT8_MAX; d <= 0; d++) exps[UINT8_MAX + d] = d < least ? 0 : exp_of(tvmq_high_multiply(d, multiplier, shift));
  return least;
}
