// A line that is found gives its table at every input, and is found for nearly every table that a model may hold.
#include <math.h>

#include "arithmetic/stage.h"
#include "exact/fit_line.h"
#include "operators/quant_params.h"
#include "unit.h"

static struct tvmq_byte_table table_of(enum tvmq_rounding rounding, double ratio, int32_t in_zero_point, int32_t out_zero_point) {
  struct tvmq_byte_table table = {.in_zero_point = in_zero_point};
  tvmq_quantize_multiplier(ratio, &table.multiplier, &table.shift);
  for (int32_t x = INT8_MIN; x <= INT8_MAX; x++) {
    const int32_t value = tvmq_rescale(rounding, x - in_zero_point, table.multiplier, table.shift);
    table.wanted[x - INT8_MIN] = (int8_t)tvmq_clamp(tvmq_add_wrap(value, out_zero_point), INT8_MIN, INT8_MAX);
  }
  return table;
}

// The formula in real numbers.
static int32_t value_of(const struct tvmq_line *line, int32_t x) {
  const double product = floor(x * 256.0 * line->multiplier / 32768 + 0.5);
  const double sum = fmin(fmax(product - (x < line->knee ? line->drop : 0) + line->bias, INT16_MIN), INT16_MAX);
  return (int32_t)fmin(fmax(floor(ldexp(sum, -line->shift)), INT8_MIN), INT8_MAX);
}

static bool fits(enum tvmq_rounding rounding, double ratio, int32_t in_zero_point, int32_t out_zero_point) {
  const struct tvmq_byte_table table = table_of(rounding, ratio, in_zero_point, out_zero_point);
  struct tvmq_line line;
  if (!tvmq_fit_line(&table, &line)) return false;
  int wrong = 0;
  for (int32_t x = INT8_MIN; x <= INT8_MAX; x++) wrong += value_of(&line, x) != table.wanted[x - INT8_MIN];
  CHECK(wrong == 0, "ratio %a, zero points %d -> %d, rounding %d: %d inputs", ratio, in_zero_point, out_zero_point, rounding, wrong);
  CHECK(line.multiplier >= 0 && line.drop >= 0 && line.drop <= 128 && (line.drop == 0 || line.multiplier <= 1 << 14) && line.shift >= 1 && line.shift <= 8,
        "ratio %a: the line's own limits", ratio);
  return true;
}

int main(void) {
  unsigned long long state = 1;
  enum { ROUNDS = 3000 };
  int found = 0, any = 0;
  for (int i = 0; i < ROUNDS; i++) {
    const enum tvmq_rounding rounding = i % 3;
    const double ratio = exp2((double)(unit_random(&state) >> 11) * 0x1p-53 * 14 - 9);
    const int32_t in = (int32_t)(unit_random(&state) >> 56) - 128, out = (int32_t)(unit_random(&state) >> 56) - 128;
    fits(rounding, ratio, in, out);
    any += fits(TVMQ_ROUNDING_REFERENCE, exp2((double)(unit_random(&state) >> 11) * 0x1p-53 * 6 - 3), in, out);
    // Concatenation asks for this: the output's range holds the input's.
    const double shrink = 0.05 + 0.95 * (double)(unit_random(&state) >> 11) * 0x1p-53;
    const int32_t zero = (int32_t)((out + 128) * (1 - shrink)) - 128 + (int32_t)((in + 128) * shrink);
    found += fits(TVMQ_ROUNDING_REFERENCE, shrink, in, zero);
  }
  CHECK(found > ROUNDS * 99 / 100 && any > ROUNDS * 99 / 100, "%d, and with any zero points %d, of %d", found, any, ROUNDS);

  CHECK(fits(TVMQ_ROUNDING_REFERENCE, 0.5, 0, 0), "every second input is a tie");
  CHECK(fits(TVMQ_ROUNDING_REFERENCE, 1, 0, 5), "one scale");
  CHECK(fits(TVMQ_ROUNDING_REFERENCE, 0.8, -128, 100) && fits(TVMQ_ROUNDING_REFERENCE, 0.3, 127, -120), "biases beyond int8");
  CHECK(fits(TVMQ_ROUNDING_REFERENCE, 127, 0, 0), "ends of the range");
  CHECK(fits(TVMQ_ROUNDING_REFERENCE, 1 - 0x1p-17, 0, 5) && fits(TVMQ_ROUNDING_REFERENCE, 2 - 0x1p-16, 0, 0), "the multiplier rounds to a power of two");
  CHECK(fits(TVMQ_ROUNDING_REFERENCE, 0, 0, 0), "nothing but the zero point");
  CHECK(!fits(TVMQ_ROUNDING_REFERENCE, 256, 0, 0), "no shift is left");
  CHECK(!fits(TVMQ_ROUNDING_REFERENCE, 0x1p-20, 0, 0), "far below one");
  struct tvmq_byte_table broken = table_of(TVMQ_ROUNDING_REFERENCE, 0.7, 3, -4);
  broken.wanted[100] ^= 4;
  struct tvmq_line line;
  CHECK(!tvmq_fit_line(&broken, &line), "one input off the line");
  return unit_report();
}
