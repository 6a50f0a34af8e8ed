// The scalar formulas of stage.h, which are what a rounding is: at the edges exhaustively, and on random triples.
#include <math.h>

#include "arithmetic/stage.h"
#include "engine.h"
#include "support/oracle.h"

static void compare_s32(enum tvmq_rounding rounding, int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t got = tvmq_rescale(rounding, x, multiplier, shift), wanted = oracle_round_s32(rounding, x, multiplier, shift);
  if (got != wanted) check_fail("x %d, multiplier %d, shift %d: got %d, want %d", x, multiplier, shift, got, wanted);
}

// Powers of two and their neighbours, of both signs: 0 and the limits are among them.
enum { N_EDGES = 32 * 3 * 2 };
static int32_t edge(size_t i) {
  const int64_t magnitude = (INT64_C(1) << i / 6) + (int64_t)(i % 3) - 1;
  return oracle_wrap(i / 3 % 2 ? -magnitude : magnitude);
}

static const int32_t multipliers[] = {0,          1 << 30,    (1 << 30) + 1, (1 << 30) + 2, 0x40007fff, 0x40008000, 0x40008001, 0x50000000,    0x55555555,
                                      0x5a827999, 0x60000000, 0x6aaaaaab,    0x7ffeffff,    0x7fff0000, 0x7fff7fff, 0x7fff8000, INT32_MAX - 1, INT32_MAX};
enum { N_MULTIPLIERS = sizeof multipliers / sizeof multipliers[0] };

static int32_t draw_multiplier(void) { return check_one_in(8) ? multipliers[check_below(N_MULTIPLIERS)] : (int32_t)check_between(1 << 30, INT32_MAX); }

// A number of any magnitude, each magnitude as likely as the next.
static int64_t draw_number(int bits) { return (int64_t)check_random() >> (63 - check_below((uint32_t)bits)); }

// An x whose product lies on a tie of the last rounding, or beside it.
static int64_t draw_tie(int32_t multiplier, int32_t shift, int64_t limit) {
  if (multiplier == 0) return 0;
  const double half = (double)draw_number(24) + 0.5, x = round(half / ldexp(multiplier, shift - 31));
  return fabs(x) < (double)limit ? (int64_t)x + check_between(-1, 1) : check_between(-limit, limit);
}

static void check_mode(enum tvmq_rounding rounding) {
  check_case("rounding %d, edges", rounding);
  for (size_t i = 0; i < N_EDGES; i++) {
    for (size_t m = 0; m < N_MULTIPLIERS; m++) {
      for (int32_t shift = -31; shift <= 30; shift++) compare_s32(rounding, edge(i), multipliers[m], shift);
    }
  }
  check_more(N_EDGES * N_MULTIPLIERS * 62);
  check_case("rounding %d, random", rounding);
  const size_t n = check_quick ? 2000000 : 12000000;
  check_more(n);
  for (size_t i = 0; i < n; i++) {
    const int32_t multiplier = draw_multiplier(), shift = (int32_t)check_between(-31, 30);
    const int64_t x = i % 2 ? draw_number(32) : draw_tie(multiplier, shift, INT32_MAX - 1);
    compare_s32(rounding, (int32_t)x, multiplier, shift);
  }
}

static void check_reference(void) { check_mode(TVMQ_ROUNDING_REFERENCE); }
static void check_upward(void) { check_mode(TVMQ_ROUNDING_UPWARD); }
static void check_single(void) { check_mode(TVMQ_ROUNDING_SINGLE); }

static void compare_s64(int64_t x, int32_t multiplier, int32_t shift) {
  const int32_t got = tvmq_rescale_s64(x, multiplier, shift), wanted = oracle_round_s64(x, multiplier, shift);
  if (got != wanted) check_fail("x %lld, multiplier %d, shift %d: got %d, want %d", (long long)x, multiplier, shift, got, wanted);
}

static void check_s64(void) {
  check_case("edges");
  const int64_t limit = INT64_C(1) << 47;
  for (int bit = 0; bit <= 47; bit++) {
    for (int64_t x = (INT64_C(1) << bit) - 1; x <= (INT64_C(1) << bit) + 1 && x <= limit; x++) {
      for (size_t m = 0; m < N_MULTIPLIERS; m++) {
        for (int32_t shift = -31; shift <= 14; shift++) {
          compare_s64(x, multipliers[m], shift);
          compare_s64(-x, multipliers[m], shift);
        }
      }
    }
  }
  check_case("random");
  const size_t n = check_quick ? 2000000 : 12000000;
  check_more(n);
  for (size_t i = 0; i < n; i++) {
    const int32_t multiplier = draw_multiplier(), shift = (int32_t)check_between(-31, 14);
    compare_s64(i % 2 ? draw_number(48) : draw_tie(multiplier, shift, limit - 1), multiplier, shift);
  }
}

static void compare_f32(float x, float scale) {
  const int32_t got = tvmq_quantize_f32(x, scale), wanted = oracle_quantize_f32(x, scale);
  if (got != wanted) check_fail("%a over %a: got %d, want %d", (double)x, (double)scale, got, wanted);
}

static void check_f32(void) {
  check_case("ties and their neighbours");
  for (int32_t code = -70000; code <= 70000; code++) {
    const float tie = (float)code + 0.5f;
    compare_f32(tie, 1);
    compare_f32(nextafterf(tie, INFINITY), 1);
    compare_f32(nextafterf(tie, -INFINITY), 1);
    compare_f32((float)code, 1);
  }
  check_case("random");
  const size_t n = check_quick ? 400000 : 4000000;
  check_more(n);
  for (size_t i = 0; i < n; i++) {
    const float scale = (float)check_between(1, 0xffffff) * ldexpf(1, -(int)check_below(40));
    const float x = (float)(check_between(-0xffffff, 0xffffff) >> check_below(24)) * ldexpf(1, -(int)check_below(30));
    if (fabsf(x / scale) < 0x1p31f) compare_f32(x, scale);
  }
}

const struct check check_stage[] = {
    {"rounding reference", check_reference}, {"rounding upward", check_upward}, {"rounding single", check_single},
    {"rounding of int64", check_s64},        {"quantize float32", check_f32},   {NULL, NULL},
};
