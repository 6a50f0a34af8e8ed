#include "exact/fit_line.h"

#include "base/arith.h"

// Largest distances from the rounded real numbers at which multipliers and drops are tried. Larger distances fit hardly
// any more tables.
enum { MULTIPLIERS = 8, DROPS = 3 };
enum { MAX_SHIFT = 8, MAX_DROP = 128, MAX_DROPPED_MULTIPLIER = 1 << 14 };

// 0, 1, -1, 2, -2, ...
static int32_t alternate(int i) { return i % 2 ? (i + 1) / 2 : -i / 2; }

// Finds the bias by narrowing its range with every x. A value inside int8 bounds the bias on both sides; a value at an
// end of int8 bounds it on one side. Sums that saturate as int16 lie beyond the end of int8, whatever the shift.
static bool find_bias(const struct tvmq_byte_table *table, struct tvmq_line *line) {
  int64_t least = INT16_MIN, most = INT16_MAX;
  for (int32_t x = INT8_MIN; x <= INT8_MAX && least <= most; x++) {
    const int32_t wanted = table->wanted[x - INT8_MIN];
    const int32_t needed = wanted * (1 << line->shift) - tvmq_line_product(line, (int8_t)x);
    if (wanted > INT8_MIN) least = tvmq_max_s64(least, needed);
    if (wanted < INT8_MAX) most = tvmq_min_s64(most, needed + (1 << line->shift) - 1);
  }
  line->bias = (int16_t)least;
  return least <= most;
}

// Tries multipliers and drops around the rounded real numbers, with line->shift fractional bits.
static bool fit(const struct tvmq_byte_table *table, struct tvmq_line *line) {
  // The multiplier in 15 bits; 256 x has eight fractional bits.
  const int32_t right = MAX_SHIFT - line->shift - table->shift;
  const int32_t multiplier = (int32_t)(((uint32_t)(table->multiplier >> right) + (1u << 15)) >> 16);
  // When the reference rounds twice, it reaches the next value earlier by half a unit of the product before the right
  // shift. This happens on both sides of zero, so the drop is a whole unit.
  const int32_t drop = table->shift < 0 ? (1 << line->shift) >> -table->shift : 0;
  for (int i = 0; i <= 2 * MULTIPLIERS; i++) {
    for (int j = 0; j <= (drop > 0 ? 2 * DROPS : 0); j++) {
      const int32_t tried = multiplier + alternate(i), dropped = drop + alternate(j);
      if (tried < 0 || tried > INT16_MAX || dropped < 0 || dropped > MAX_DROP || (dropped > 0 && tried > MAX_DROPPED_MULTIPLIER)) continue;
      line->multiplier = (int16_t)tried;
      line->drop = (int16_t)dropped;
      if (find_bias(table, line)) return true;
    }
  }
  return false;
}

bool tvmq_fit_line(const struct tvmq_byte_table *table, struct tvmq_line *line) {
  // A left shift removes fractional bits from the sum. The second attempt removes one more bit, for a bias that exceeds
  // int16.
  const int32_t left = table->shift > 0 ? table->shift : 0;
  if (left >= MAX_SHIFT || table->shift <= -MAX_SHIFT) return false;
  *line = (struct tvmq_line){.knee = (int8_t)table->in_zero_point, .shift = (uint8_t)(MAX_SHIFT - left)};
  if (fit(table, line)) return true;
  line->shift--;
  return line->shift > 0 && fit(table, line);
}
