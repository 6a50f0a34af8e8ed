// SOFTMAX: every reason for which one is refused, and the tables of int16: no entry is so near a tie that libraries of mathematics could differ.
#include <math.h>

#include "claims.h"
#include "cpu/ops/reduce/softmax_s16.h"

static const struct {
  struct tvmq_softmax_desc desc;
  const char *reason;
} cases[] = {
#define SOFTMAX(...) {.in_type = S8, .out_type = S8, .in = {0.1f, 3}, .out = {1 / 256.0f, -128}, .beta = 1, .rows = 2, .depth = 10, __VA_ARGS__}
#define WIDE(...) SOFTMAX(.in_type = S16, .out_type = S16, .in = {0.001f, 0}, .out = {1 / 32768.0f, 0}, __VA_ARGS__)
    {SOFTMAX(), NULL},
    {SOFTMAX(.in_type = U8, .out_type = U8, .out = {0.5f, 7}), NULL},
    {SOFTMAX(.out_type = S16, .out = {0.5f, 7}), NULL},
    {SOFTMAX(.depth = 4095), NULL},
    {SOFTMAX(.beta = 100), NULL},
    {WIDE(), NULL},
    {WIDE(.depth = 65536), NULL},

#define FLOATS(...) SOFTMAX(.in_type = F32, .out_type = F32, .in = {0, 0}, .out = {NAN, 5}, __VA_ARGS__)
    {FLOATS(), NULL},
    {FLOATS(.depth = 65537, .beta = -3), NULL},
    {FLOATS(.out_type = S16), "input and output types differ"},
    {FLOATS(.rows = 0), "empty tensor"},
    {FLOATS(.rows = 300000000), "tensor has more than 2^31 - 1 elements"},
    {SOFTMAX(.in_type = F32), "input and output types differ"},
    {SOFTMAX(.out_type = U8), "input and output types differ"},
    {SOFTMAX(.in_type = S16), "input and output types differ"},
    {SOFTMAX(.rows = 0), "empty tensor"},
    {SOFTMAX(.depth = 0), "empty tensor"},
    {SOFTMAX(.depth = 4096), "the sum may exceed 32 bits"},
    {WIDE(.depth = 65537), "the sum may exceed 32 bits"},
    {SOFTMAX(.rows = 300000000), "tensor has more than 2^31 - 1 elements"},
    {SOFTMAX(.in.scale = NAN), "input scale is not positive and finite"},
    {SOFTMAX(.out.zero_point = 0), "output zero point is not -128"},
    {SOFTMAX(.out.scale = 1 / 128.0f), "output scale is not 1/256 (int16: 1/32768)"},
    {WIDE(.out.scale = 1 / 256.0f), "output scale is not 1/256 (int16: 1/32768)"},
    {WIDE(.in.zero_point = 1), "int16 with a zero point other than 0"},
    {SOFTMAX(.beta = 1e-9f), "beta x input scale is out of range"},
    {SOFTMAX(.beta = -1), "beta x input scale is out of range"},
    {SOFTMAX(.beta = NAN), "beta x input scale is out of range"},
    {WIDE(.beta = 1e30f), "beta x input scale is out of range"},
    {WIDE(.beta = 0), "beta x input scale is out of range"},
};

// The roundings are of values of the exponential function at 512 steps and half-way between them, and of means of a value and a whole number: all but exp(0),
// which is exact, are far from a half and from a whole number.
static void check_ties(void) {
  double least = 1;
  for (int i = 0; i < 1024; i++) {
    const double halves = exp(-10 + i * (10.0 / 1024)) * 32768 * 2;
    least = fmin(least, fabs(halves - round(halves)));
  }
  CHECK(least > 1e-6, "an exp lies %g from a tie", least / 2);
}

static void check_tables(void) {
  static struct tvmq_softmax_s16 tables;
  tvmq_softmax_s16_tables(&tables);
  CHECK(tables.exps[0] == 2 && tables.exps[512] == 32767 && tables.reciprocals[0] == 32767 && tables.reciprocals[512] == 16384, "ends of the tables");
  for (int i = 0; i < 512; i++) CHECK(tables.exps[i] <= tables.exps[i + 1] && tables.reciprocals[i] >= tables.reciprocals[i + 1], "entry %d", i);
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_softmax, cases);
  check_ties();
  check_tables();
  return unit_report();
}
