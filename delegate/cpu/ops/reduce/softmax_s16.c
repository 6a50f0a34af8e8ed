#include "cpu/ops/reduce/softmax_s16.h"

#include <math.h>

#include "arithmetic/stage.h"

static double reciprocal(double x) { return 1 / (1 + x); }

// Tabulates a function over [min, max] in 512 steps. Each entry is corrected by half of the interpolation error in the
// middle between it and the next entry.
static void fill(double (*function)(double), double min, double max, int16_t *table) {
  enum { STEPS = TVMQ_SOFTMAX_S16_ENTRIES - 1 };
  const double one = 32768, step = (max - min) / STEPS;
  for (int i = 0; i < STEPS; i++) {
    const double here = round(function(min + i * step) * one), next = function(min + (i + 1) * step) * one;
    const double between = round((next + here) / 2), middle = round(function(min + i * step + step / 2) * one);
    table[i] = (int16_t)fmin(fmax(here - round((between - middle) / 2), INT16_MIN), INT16_MAX);
  }
  table[STEPS] = (int16_t)fmin(round(function(max) * one), INT16_MAX);
}

void tvmq_softmax_s16_tables(struct tvmq_softmax_s16 *softmax) {
  fill(exp, -10, 0, softmax->exps);
  fill(reciprocal, 0, 1, softmax->reciprocals);
}

static int32_t look_up(const int16_t *table, int32_t value) {
  const int16_t *at = table + 256 + (value >> 7);
  return at[0] + (((at[1] - at[0]) * (value & 127) + 64) >> 7);
}

static int32_t exp_at(const struct tvmq_softmax_s16 *s, int32_t difference) {
  const int32_t scaled = tvmq_rescale(s->rounding, difference, s->scale.multiplier, s->scale.shift);
  return look_up(s->exps, tvmq_clamp(tvmq_add_wrap(scaled, INT16_MAX), INT16_MIN, INT16_MAX));
}

void tvmq_softmax_s16_rows(const struct tvmq_softmax_s16 *s, const int16_t *in, size_t rows, size_t depth, int16_t *out) {
  for (size_t row = 0; row < rows; row++, in += depth, out += depth) {
    int32_t greatest = INT16_MIN;
    for (size_t i = 0; i < depth; i++) greatest = in[i] > greatest ? in[i] : greatest;
    uint32_t sum = 0;  // positive: the maximum contributes 32767
    for (size_t i = 0; i < depth; i++) {
      out[i] = (int16_t)exp_at(s, in[i] - greatest);
      sum += (uint32_t)out[i];
    }
    const int zeros = __builtin_clz(sum), shift = 31 - zeros;
    const int32_t fraction = (int32_t)(((sum << (zeros - 1)) + (1 << 13)) >> 14) - 98304;
    const int32_t factor = look_up(s->reciprocals, tvmq_clamp(fraction, INT16_MIN, INT16_MAX));
    for (size_t i = 0; i < depth; i++) out[i] = (int16_t)tvmq_clamp((out[i] * factor + (1 << (shift - 1))) >> shift, 0, INT16_MAX);
  }
}
