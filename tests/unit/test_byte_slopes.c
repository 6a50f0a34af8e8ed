// Slopes that are found give their table at every input, and are found for the functions that networks have.
#include <math.h>

#include "exact/byte_slopes.h"
#include "support/byte_slopes.h"
#include "unit.h"

static bool found(const uint8_t table[TVMQ_N_BYTES], const char *name, struct tvmq_byte_slopes *slopes) {
  if (!tvmq_find_byte_slopes(table, slopes)) return false;
  int wrong = 0;
  for (int x = 0; x < TVMQ_N_BYTES; x++) wrong += slopes_value(slopes, x) != table[x];
  CHECK(wrong == 0, "%s: %d inputs", name, wrong);
  CHECK((slopes->flip == 0 || (slopes->flip == 0x80 && slopes->offset != 0)) && slopes->offset > -TVMQ_BYTE_GROUP && slopes->offset < TVMQ_BYTE_GROUP,
        "%s: the slopes' own limits", name);
  CHECK(slopes->n == 1 || (slopes->n == 2 && slopes->offset == 0), "%s: %d extras, offset %d", name, slopes->n, slopes->offset);
  return true;
}

static double silu(double x) { return x / (1 + exp(-x)); }
static double hard_swish(double x) { return x * fmin(fmax(x + 3, 0), 6) / 6; }
static double line(double x) { return x; }
static double logistic(double x) { return 1 / (1 + exp(-x)); }

// Tabulates the function for inputs and outputs of these scales, as int8 or, with a flip of 0x80, as uint8.
static void tabulate(double (*function)(double), double in_scale, int in_zero_point, double out_scale, int out_zero_point, uint8_t flip, uint8_t *table) {
  for (int x = INT8_MIN; x <= INT8_MAX; x++) {
    const double value = round(function((x - in_zero_point) * in_scale) / out_scale) + out_zero_point;
    table[(uint8_t)x ^ flip] = (uint8_t)(int8_t)fmin(fmax(value, INT8_MIN), INT8_MAX) ^ flip;
  }
}

static double between(unsigned long long *state, double low, double high) { return low + (high - low) * (double)(unit_random(state) >> 11) * 0x1p-53; }

// The share of tables that have slopes, of inputs from -low to high and outputs as calibration gives them.
static double share(double (*function)(double), double least, double greatest, const char *name, int *offsets) {
  enum { ROUNDS = 2000 };
  unsigned long long state = 1;
  int n = 0;
  for (int i = 0; i < ROUNDS; i++) {
    const double low = between(&state, least, greatest), high = between(&state, least, greatest);
    const double in_scale = (low + high) / 255, bottom = fmin(function(-low), fmin(function(-1.28), 0)), out_scale = (function(high) - bottom) / 255;
    uint8_t table[TVMQ_N_BYTES];
    tabulate(function, in_scale, (int)round(low / in_scale) - 128, out_scale, (int)round(-bottom / out_scale) - 128, i % 2 ? 0x80 : 0, table);
    struct tvmq_byte_slopes slopes;
    if (!found(table, name, &slopes)) continue;
    n++;
    *offsets += slopes.offset != 0;
  }
  return n / (double)ROUNDS;
}

int main(void) {
  struct tvmq_byte_slopes slopes;
  uint8_t table[TVMQ_N_BYTES];
  int offsets = 0, none = 0;
  const double lines = share(line, 1, 20, "a line", &none), silus = share(silu, 3, 20, "SiLU", &offsets),
               swishes = share(hard_swish, 3, 20, "HARD_SWISH", &offsets);
  CHECK(lines == 1 && none == 0, "lines: %g of them, %d with an offset", lines, none);
  printf("SiLU %g, HARD_SWISH %g of all tables\n", silus, swishes);
  CHECK(silus > 0.98 && swishes > 0.94, "SiLU %g, HARD_SWISH %g", silus, swishes);
  CHECK(offsets > 100, "%d offsets", offsets);
  CHECK(share(logistic, 8, 40, "LOGISTIC", &none) < 1, "a function that may be steep");

  for (int x = 0; x < TVMQ_N_BYTES; x++) table[x] = 7;
  CHECK(found(table, "a constant", &slopes), "a constant");
  for (int climb = 0; climb < TVMQ_N_BYTES; climb++) {
    for (int x = 0; x < TVMQ_N_BYTES; x++) table[x] = (uint8_t)(climb * x + x / 3);
    CHECK(found(table, "a line modulo 256", &slopes), "slope %d", climb);
  }

  // One value that differs: slopes that are found still give all.
  unsigned long long state = 3;
  int broken = 0;
  for (int x = 0; x < TVMQ_N_BYTES; x++) {
    tabulate(silu, 0.05, -20, 0.035, -110, 0, table);
    table[x] ^= (uint8_t)(1 + unit_random(&state) % 255);
    broken += !found(table, "SiLU with another value", &slopes);
  }
  CHECK(broken > 200, "%d tables without slopes", broken);

  // A kernel without TVMQ_SLOPES gets none.
  struct tvmq_byte_map map;
  tabulate(line, 1, 0, 1, 5, 0, map.table);
  tvmq_complete_byte_map(&map, true);
  CHECK(map.slopes.n > 0 && map.table[TVMQ_N_BYTES] == map.table[0], "wanted");
  tvmq_complete_byte_map(&map, false);
  CHECK(map.slopes.n == 0, "not wanted");
  return unit_report();
}
