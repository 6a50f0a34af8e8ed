// A plane that is found gives the reference's sum for every pair, and is found for nearly all scales that a model may hold.
#include <math.h>
#include <stdlib.h>

#include "exact/fit_plane.h"
#include "exact/proofs.h"
#include "operators/quant_params.h"
#include "support/oracle.h"
#include "unit.h"

static int32_t at_least(int32_t min, int32_t x) { return x < min ? min : x; }
static int32_t at_most(int32_t max, int32_t x) { return x > max ? max : x; }

static struct tvmq_add_args sum_of(enum tvmq_rounding rounding, struct tvmq_quant a, struct tvmq_quant b, struct tvmq_quant out) {
  const struct tvmq_binary_desc desc = {.type = TVMQ_TYPE_S8, .in = {a, b}, .out = out};
  struct tvmq_add_args sum = {.rounding = rounding, .min = INT8_MIN, .max = INT8_MAX};
  tvmq_add_scales(&desc, &sum.left_shift, sum.in_scale, &sum.out_scale);
  sum.in_zero_point[0] = a.zero_point;
  sum.in_zero_point[1] = b.zero_point;
  sum.out_zero_point = out.zero_point;
  return sum;
}

// Computes what each value of an input adds: in exact numbers, rounded as the oracle does.
static void rescale(const struct tvmq_add_args *sum, int i, int32_t scaled[256]) {
  for (int32_t in = INT8_MIN; in <= INT8_MAX; in++) {
    const int32_t raised = (in - sum->in_zero_point[i]) * (1 << 20);
    const int32_t value = oracle_round_s32(sum->rounding, raised, sum->in_scale[i].multiplier, sum->in_scale[i].shift);
    scaled[in - INT8_MIN] = sum->minus[i] ? -value : value;
  }
}

static int32_t expected(const struct tvmq_add_args *sum, int32_t total) {
  const int32_t value = oracle_wrap((__int128)oracle_round_s32(sum->rounding, total, sum->out_scale.multiplier, sum->out_scale.shift) + sum->out_zero_point);
  return at_most(sum->max, at_least(sum->min, value));
}

static const struct tvmq_plane_exception *exception_of(const struct tvmq_plane *p, int32_t a, int32_t b) {
  for (int32_t e = 0; e < p->n_exceptions; e++) {
    if (p->exceptions[e].in[0] == a && p->exceptions[e].in[1] == b) return &p->exceptions[e];
  }
  return NULL;
}

// How many pairs are exceptions, or -1: no plane is found.
static int exceptions(const struct tvmq_add_args *sum) {
  struct tvmq_plane p;
  if (!tvmq_fit_plane(sum, &p)) return -1;
  int wrong = 0, wide = 0;
  int32_t scaled[2][256];
  for (int i = 0; i < 2; i++) rescale(sum, i, scaled[i]);
  for (int32_t a = INT8_MIN; a <= INT8_MAX; a++) {
    for (int32_t b = INT8_MIN; b <= INT8_MAX; b++) {
      const int64_t whole = (int64_t)a * p.multiplier[0] + (int64_t)b * p.multiplier[1] + p.bias, on_plane = whole - (whole < p.knee ? p.drop : 0);
      wide += on_plane < INT32_MIN || on_plane > INT32_MAX || whole < INT32_MIN || whole > INT32_MAX;
      const struct tvmq_plane_exception *x = exception_of(&p, a, b);
      const int32_t value = at_most(sum->max, at_least(sum->min, (int32_t)(on_plane >> p.shift)));
      wrong += (x ? x->value : value) != expected(sum, scaled[0][a - INT8_MIN] + scaled[1][b - INT8_MIN]);
    }
  }
  CHECK(wrong == 0 && wide == 0, "scales %d %d + %d %d -> %d %d, zero points %d + %d -> %d, rounding %d: %d pairs are wrong, %d exceed int32",
        sum->in_scale[0].multiplier, sum->in_scale[0].shift, sum->in_scale[1].multiplier, sum->in_scale[1].shift, sum->out_scale.multiplier,
        sum->out_scale.shift, sum->in_zero_point[0], sum->in_zero_point[1], sum->out_zero_point, sum->rounding, wrong, wide);
  bool limits = p.shift >= TVMQ_PLANE_MIN_SHIFT && p.shift <= TVMQ_PLANE_MAX_SHIFT;
  for (int i = 0; i < 2; i++) limits &= abs(p.multiplier[i]) <= TVMQ_PLANE_MAX_MULTIPLIER && abs(p.multiplier[i] % 256) != 128;
  CHECK(limits, "multipliers %d and %d, shift %d: the plane's own limits", p.multiplier[0], p.multiplier[1], p.shift);
  CHECK(p.drop == 0 || p.n_exceptions == 0, "a drop of %d and %d exceptions", p.drop, p.n_exceptions);
  return p.n_exceptions;
}

static bool fits(const struct tvmq_add_args *sum) { return exceptions(sum) == 0; }

static unsigned long long state = 1;
static double real_between(double low, double high) { return low + (high - low) * (double)(unit_random(&state) >> 11) * 0x1p-53; }
static int32_t zero_point(void) { return (int32_t)(unit_random(&state) >> 56) - 128; }

// Sums of which many are ties: of scales that are small multiples of one. Returns how many of `rounds` have a plane.
static int count_tied(int rounds) {
  int found = 0;
  for (int i = 0; i < rounds; i++) {
    struct tvmq_quant quant[3];
    const float unit = (float)real_between(0.001, 0.02);
    for (int k = 0; k < 3; k++) quant[k] = (struct tvmq_quant){unit * (float)(1 + (unit_random(&state) >> 60) % 12), zero_point()};
    struct tvmq_add_args sum = sum_of(TVMQ_ROUNDING_REFERENCE, quant[0], quant[1], quant[2]);
    sum.minus[i % 2] = i % 4 >= 2;
    found += exceptions(&sum) >= 0;
  }
  return found;
}

int main(void) {
  enum { ROUNDS = 100 };
  int found = 0, differences = 0;
  for (int i = 0; i < ROUNDS; i++) {
    // As networks have them: the output's range holds most sums.
    const float out = (float)real_between(0.01, 1);
    const struct tvmq_quant a = {out * (float)real_between(0.4, 2), zero_point()}, b = {out * (float)real_between(0.4, 2), zero_point()};
    struct tvmq_add_args sum = sum_of(TVMQ_ROUNDING_REFERENCE, a, b, (struct tvmq_quant){out, zero_point()});
    found += fits(&sum);
    sum.minus[i % 2] = true;
    differences += fits(&sum);
    sum.minus[i % 2] = i % 4 >= 2;
    sum.min = at_most(sum.max, sum.out_zero_point);  // RELU
    fits(&sum);
    // Any.
    const struct tvmq_quant c = {(float)exp2(real_between(-12, 8)), zero_point()};
    struct tvmq_add_args any = sum_of(i % 3, c, b, (struct tvmq_quant){out, zero_point()});
    any.minus[i % 2] = i % 4 >= 2;
    fits(&any);
  }
  CHECK(found > ROUNDS * 95 / 100 && differences > ROUNDS * 95 / 100, "%d sums and %d differences of %d", found, differences, ROUNDS);
  // A graph of some hundred nodes asks for all of its planes each time that it is prepared.
  const struct tvmq_memo *memo = tvmq_plane_proofs.memo;
  const size_t kept = tvmq_memo_save(tvmq_plane_proofs.memo, NULL, 0) / (memo->key_bytes + memo->value_bytes);
  CHECK(kept == 4 * ROUNDS, "%zu of %d sums are remembered", kept, 4 * ROUNDS);

  const int tied = count_tied(ROUNDS);
  CHECK(tied > ROUNDS * 70 / 100, "%d of %d sums with ties", tied, ROUNDS);
  const struct tvmq_quant half_of = {0.05f, 3}, tenths = {0.03f, -5}, whole = {0.1f, 1};
  const struct tvmq_add_args ties = sum_of(TVMQ_ROUNDING_REFERENCE, half_of, tenths, whole);
  CHECK(fits(&ties), "5 to 3 to 10: ties that only a drop takes away from zero on either side of it");

  const struct tvmq_quant one = {1, 0}, two = {2, 0}, odd = {1, 5}, half = {0.5f, 0}, fine = {0x1p-12f, 0}, coarse = {0x1p15f, 0};
  const struct tvmq_add_args same = sum_of(TVMQ_ROUNDING_REFERENCE, one, one, two);
  CHECK(fits(&same), "every second sum is a tie, away from zero on either side of it");
  const struct tvmq_add_args upward = sum_of(TVMQ_ROUNDING_UPWARD, one, one, two);
  CHECK(fits(&upward), "the same with ties upward");
  struct tvmq_add_args clamped = same;
  clamped.min = 0;
  CHECK(fits(&clamped), "the same with RELU");
  const struct tvmq_add_args plain = sum_of(TVMQ_ROUNDING_REFERENCE, one, odd, one);
  CHECK(fits(&plain), "one scale throughout");
  const struct tvmq_add_args doubled = sum_of(TVMQ_ROUNDING_REFERENCE, one, half, half);
  CHECK(fits(&doubled), "into a finer scale");
  const struct tvmq_add_args far = sum_of(TVMQ_ROUNDING_REFERENCE, one, fine, one);
  CHECK(fits(&far), "one input that counts for nothing");
  const struct tvmq_add_args bent = sum_of(TVMQ_ROUNDING_REFERENCE, (struct tvmq_quant){0x1.84da1ep-3f, -6}, (struct tvmq_quant){0x1.5bf71cp-3f, -31},
                                           (struct tvmq_quant){0x1.8019fap-3f, -14});
  CHECK(exceptions(&bent) == 1, "pairs that contradict each other");
  const struct tvmq_add_args beyond = sum_of(TVMQ_ROUNDING_REFERENCE, coarse, one, one);
  CHECK(exceptions(&beyond) == -1, "no shift is left");
  return unit_report();
}
