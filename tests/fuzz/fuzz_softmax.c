// SOFTMAX: of bytes in fixed point with 31 bits behind the point, of int16 by two tables of 513 entries.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "oracle_conv.h"
#include "support/oracle.h"
#include "support/random.h"

enum { MOST_DEPTH = 4200, ENTRIES = 513 };

// a b / 2^31 to the nearest, ties up.
static int32_t times(int32_t a, int32_t b) { return oracle_round_s32(TVMQ_ROUNDING_REFERENCE, a, b, 0); }

// x / 2^bits to the nearest, ties away from zero.
static int32_t over(int64_t x, int bits) { return (int32_t)round(ldexp((double)x, -bits)); }

// 256 times the quotient of an exp, as Q0.31, and a sum, as Q12.19, to the nearest, ties up.
static int64_t quotient(int32_t exp, int64_t sum) { return (int64_t)floor((exp == INT32_MAX ? 0x1p31 : exp) / (16 * (double)sum) + 0.5); }

static int32_t saturate(double x) { return (int32_t)fmax(fmin(x, INT32_MAX), INT32_MIN); }

static int zeros_before(int64_t x) {
  int zeros = 0;
  for (; x < INT64_C(1) << 31; x *= 2) zeros++;
  return zeros;
}

// exp(a / 2^26), a <= 0: the product of those of the quarters of a, by their number's bits, and of a series about -1/8 for the rest, in [-1/4, 0).
static int32_t exp_of(int32_t a) {
  static const double powers[] = {0.25, 0.5, 1, 2, 4, 8, 16};
  if (a == 0) return INT32_MAX;
  const int64_t quarters = (-(int64_t)a - 1) >> 24, rest = a + quarters * (1 << 24);
  const int32_t x = (int32_t)(rest * 32 + (1 << 28)), x2 = times(x, x), x3 = times(x2, x), x4 = times(x2, x2), eighth = 1895147668;
  const int32_t higher = over((int64_t)times(over(x4, 2) + x3, 715827883) + x2, 1);
  int32_t exp_a = eighth + times(eighth, x + higher);
  for (int i = 0; i < 7; i++) {
    if (quarters >> i & 1) exp_a = times(exp_a, (int32_t)lround(exp(-powers[i]) * 0x1p31));
  }
  return exp_a;
}

// 1 / (1 + a / 2^31), 0 <= a: three steps of Newton's method for half the denominator, with 29 bits behind the point.
static int32_t reciprocal_of(int32_t a) {
  const int32_t half = over((int64_t)a + INT32_MAX, 1);
  int32_t x = 1515870810 + times(half, -1010580540);
  for (int i = 0; i < 3; i++) x = saturate((double)x + (double)saturate(4.0 * times(x, (1 << 29) - times(half, x))));
  return saturate(2.0 * x);
}

struct row {
  const struct tvmq_softmax_desc *desc;
  enum tvmq_rounding rounding;
  const void *in;
  void *out;
  size_t first;
  int32_t greatest, multiplier, shift;
};

static int32_t difference(const struct row *r, size_t i) { return oracle_load(r->desc->in_type, r->in, r->first + i) - r->greatest; }

static void row_of_bytes(const struct row *r) {
  static int32_t exps[MOST_DEPTH];
  const struct tvmq_range range = tvmq_type_range(r->desc->out_type);
  const int bits = r->desc->out_type == TVMQ_TYPE_S16 ? 16 : 8;
  const int64_t least = -((INT64_C(31) << 26) >> r->shift);
  int64_t sum = 0;
  for (size_t i = 0; i < r->desc->depth; i++) {
    const int64_t d = difference(r, i);
    exps[i] = d < least ? -1 : exp_of(times(saturate(ldexp((double)d, r->shift)), r->multiplier));
    if (exps[i] >= 0) sum += over(exps[i], 12);
  }
  const int zeros = zeros_before(sum);
  const int32_t reciprocal = reciprocal_of((int32_t)(sum * (INT64_C(1) << zeros) - (INT64_C(1) << 31)));
  for (size_t i = 0; i < r->desc->depth; i++) {
    const int shift = 12 - zeros + 31 - bits;
    const int64_t code = range.min + (exps[i] < 0 ? 0 : shift > 31 ? quotient(exps[i], sum) : over(times(reciprocal, exps[i]), shift));
    oracle_store(r->desc->out_type, r->out, r->first + i, (int32_t)(code > range.max ? range.max : code));
  }
}

static double exp_below(double x) { return exp(10 * (x - 1)); }
static double reciprocal(double x) { return 1 / (1 + x); }

// A function of [0, 1] in 512 steps; entries are corrected by half of the error in the middle of the step.
static void make_table(double (*function)(double), double table[ENTRIES]) {
  for (int i = 0; i < ENTRIES; i++) {
    const double low = round(function(i / 512.0) * 32768), high = function((i + 1) / 512.0) * 32768, middle = round(function((i + 0.5) / 512) * 32768);
    const double error = i + 1 < ENTRIES ? round((low + high) / 2) - middle : 0;
    table[i] = fmin(low - round(error / 2), INT16_MAX);
  }
}

// The table at x in [-32768, 32767], between entries that are 128 apart.
static int32_t look_up(const double table[ENTRIES], double x) {
  x = fmax(fmin(x, INT16_MAX), INT16_MIN) + 32768;
  const double entry = floor(x / 128), part = x - 128 * entry;
  return (int32_t)(table[(int)entry] + floor(((table[(int)entry + 1] - table[(int)entry]) * part + 64) / 128));
}

static void row_of_s16(const struct row *r) {
  static double exps[ENTRIES], reciprocals[ENTRIES];
  if (exps[0] == 0) {
    make_table(exp_below, exps);
    make_table(reciprocal, reciprocals);
  }
  static int32_t values[MOST_DEPTH];
  int64_t sum = 0;
  for (size_t i = 0; i < r->desc->depth; i++) {
    const int32_t scaled = oracle_round_s32(r->rounding, difference(r, i), r->multiplier, r->shift);
    sum += values[i] = look_up(exps, oracle_wrap((int64_t)scaled + INT16_MAX));
  }
  const int zeros = zeros_before(sum);
  const double fraction = floor((ldexp((double)sum, zeros - 1) + (1 << 13)) / (1 << 14)) - 98304;
  const int64_t factor = look_up(reciprocals, fraction);
  for (size_t i = 0; i < r->desc->depth; i++) {
    const double code = floor(ldexp((double)(values[i] * factor), zeros - 31) + 0.5);
    oracle_store(TVMQ_TYPE_S16, r->out, r->first + i, (int32_t)fmax(fmin(code, INT16_MAX), 0));
  }
}

static void row_of_floats(const struct tvmq_softmax_desc *d, const float *in, float *out) {
  float greatest = -FLT_MAX;
  volatile float sum = 0, product;
  for (size_t i = 0; i < d->depth; i++) greatest = in[i] > greatest ? in[i] : greatest;
  for (size_t i = 0; i < d->depth; i++) {
    product = in[i] - greatest;
    product = product * d->beta;
    out[i] = expf(product);
    sum = sum + out[i];
  }
  for (size_t i = 0; i < d->depth; i++) out[i] /= sum;
}

static void softmax(const struct tvmq_softmax_desc *d, enum tvmq_rounding rounding, const void *in, void *out) {
  if (d->in_type == TVMQ_TYPE_F32) {
    for (size_t r = 0; r < d->rows; r++) row_of_floats(d, (const float *)in + r * d->depth, (float *)out + r * d->depth);
    return;
  }
  const bool wide = d->in_type == TVMQ_TYPE_S16;
  const double real = wide ? (double)(d->in.scale * d->beta) / (10.0 / 65535.0) : fmin((double)d->beta * (double)d->in.scale * 0x1p26, INT32_MAX);
  struct row row = {.desc = d, .rounding = rounding, .in = in, .out = out};
  oracle_fixed_point(real, &row.multiplier, &row.shift);
  for (; row.first < d->rows * d->depth; row.first += d->depth) {
    row.greatest = INT32_MIN;
    for (size_t i = 0; i < d->depth; i++) {
      const int32_t x = oracle_load(d->in_type, in, row.first + i);
      if (x > row.greatest) row.greatest = x;
    }
    wide ? row_of_s16(&row) : row_of_bytes(&row);
  }
}

static void pick(struct fuzz_bytes *b, struct tvmq_softmax_desc *d) {
  static const enum tvmq_type types[] = {TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16, TVMQ_TYPE_F32};
  const enum tvmq_type type = types[fuzz_pick(b, 0, 3)];
  *d = (struct tvmq_softmax_desc){
      .in_type = type,
      .out_type = type == TVMQ_TYPE_F32 || fuzz_pick(b, 0, 3) ? type : TVMQ_TYPE_S16,
      .rows = (size_t)fuzz_pick(b, 0, 20),
      .depth = (size_t)fuzz_pick(b, 0,
                                 fuzz_pick(b, 0, 1)   ? 20
                                 : fuzz_pick(b, 0, 3) ? 300
                                                      : MOST_DEPTH),
      .beta = fuzz_pick(b, 0, 1) ? 1 : ldexpf((float)check_between(1 << 23, (1 << 24) - 1), (int)fuzz_pick(b, -30, -18)),
      .in.scale = ldexpf((float)check_between(1 << 23, (1 << 24) - 1), -24 - (int)fuzz_pick(b, 0, 12)),
  };
  if (type == TVMQ_TYPE_S8 || type == TVMQ_TYPE_U8) d->in.zero_point = tvmq_type_range(type).min + (int32_t)fuzz_pick(b, 0, 255);
  d->out.scale = d->out_type == TVMQ_TYPE_S16 ? 1 / 32768.0f : 1 / 256.0f;
  d->out.zero_point = d->out_type == TVMQ_TYPE_S8 ? -128 : 0;
  if (fuzz_pick(b, 0, 15) == 0) *(fuzz_pick(b, 0, 1) ? &d->in_type : &d->out_type) = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  static const float odd[] = {0, -1, INFINITY, NAN, 0x1p-149f, 0x1p127f, 0x1p-26f, 0x1p5f, 1};
  float *const scales[] = {&d->beta, &d->in.scale, &d->out.scale};
  if (fuzz_pick(b, 0, 15) == 0) *scales[fuzz_pick(b, 0, 2)] = odd[fuzz_pick(b, 0, 8)];
}

void fuzz_softmax(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(8) uint8_t expected[FUZZ_MAX_BYTES];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_softmax_desc d;
  pick(b, &d);
  const int64_t span = fuzz_pick(b, 0, 3) ? 65536 : fuzz_pick(b, 1, 20);  // of the inputs
  char text[300];
  snprintf(text, sizeof text, "softmax, types %d -> %d, %zu x %zu, beta %a, scales %a -> %a, zero points %d -> %d, span %d, rounding %d, cpu %#x", d.in_type,
           d.out_type, d.rows, d.depth, (double)d.beta, (double)d.in.scale, (double)d.out.scale, d.in.zero_point, d.out.zero_point, (int)span, env->rounding,
           env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.softmax = d};
  const char *why = fuzz_claim(&tvmq_operator_softmax, &desc);
  if (why || d.depth > MOST_DEPTH) return;
  if (d.in_type == TVMQ_TYPE_F32 && !(d.beta >= 0 && d.beta <= FLT_MAX)) return;  // NaN, whose bits are left open
  const size_t n = d.rows * d.depth, in_bytes = n * tvmq_type_bytes(d.in_type), out_bytes = n * tvmq_type_bytes(d.out_type);
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, in_bytes, side);
  for (size_t i = 0; i < n; i++) {
    const int32_t value = (int32_t)check_between(0, span - 1);
    if (d.in_type == TVMQ_TYPE_F32)
      ((float *)in.write)[i] = (float)value / 256;
    else
      oracle_store(d.in_type, in.write, i, value);
  }
  softmax(&d, env->rounding, in.read, expected);
  struct tvmq_op *op = NULL;
  const struct tvmq_implementation *op_class = tvmq_op_computed_by(&tvmq_op_softmax, &desc, env);
  fuzz_run(op_class, &op, &desc, env, &in.read, expected, out_bytes, side);
  tvmq_op_release(op_class, op);
}
