#include "plan/select.h"
#include "unit.h"

// Sizes that networks have: few and many rows, channels and depths.
static const struct {
  size_t m, n, k, n_taps;
} gemms[] = {{1, 1, 1, 1}, {48, 64, 24, 1}, {12544, 16, 32, 1}, {3136, 32, 32, 1}, {49, 320, 960, 1}, {196, 512, 512, 9}, {9, 10, 64, 1}};
static const uint32_t tunings[] = {0, TVMQ_CPU_IN_ORDER};

static float cycles_on(const struct tvmq_variant *v, size_t i, const struct tvmq_gemm_problem *problem) {
  const bool in_order = (problem->cpu & TVMQ_CPU_IN_ORDER) != 0;
  const struct tvmq_speed *speed = in_order && v->speeds[1].rate > 0 ? &v->speeds[1] : &v->speeds[0];
  struct tvmq_gemm_problem plain = *problem;
  plain.filter_zero_point = 0;
  const float zipping = tvmq_gemm_row_cycles(v, &plain), before = tvmq_gemm_row_cycles(v, problem);
  CHECK((v->flags & TVMQ_ZIPPED_ROWS) != 0 ? zipping > 0 : zipping == 0, "%s zips case %zu in %g", v->name, i, (double)zipping);
  const bool sums = problem->filter_zero_point != 0 && v->layout.weight_bytes == 1;
  CHECK(sums ? before > zipping : before == zipping, "%s sums rows of case %zu in %g", v->name, i, (double)(before - zipping));
  const size_t row_tiles = (gemms[i].m + v->mr - 1) / v->mr, panels = (gemms[i].n + v->layout.nr - 1) / v->layout.nr;
  const bool one_is_alone = (v->flags & TVMQ_MATRIX_ROWS) != 0 && v->layout.nr <= 32 && row_tiles % 2 == 1;
  const float tiles = (float)(panels * row_tiles) + (one_is_alone ? 0.5f * (float)panels : 0);
  const size_t depth = (gemms[i].k + v->layout.ku - 1) / v->layout.ku * v->layout.ku * gemms[i].n_taps;
  return tiles * (speed->tile_cycles + (float)(depth * v->mr * v->layout.nr) / speed->rate) + before;
}

// Whatever a CPU offers and whatever is tuned for: the variant that may run there and is estimated fastest there.
static void check_gemm(int32_t zero_point) {
  for (uint32_t cpu = 0; cpu < TVMQ_CPU_IN_ORDER; cpu = cpu == 0 ? 1 : cpu * 2) {
    const uint32_t features = cpu * 2 - 1;  // every bit up to this one; of none for 0
    for (size_t t = 0; t < N_ELEMENTS(tunings); t++) {
      for (size_t i = 0; i < N_ELEMENTS(gemms); i++) {
        const uint32_t offered = cpu == 0 ? 0 : features;
        const struct tvmq_gemm_problem problem = {.m = gemms[i].m,
                                                  .n = gemms[i].n,
                                                  .k = gemms[i].k,
                                                  .n_taps = gemms[i].n_taps,
                                                  .acc_bytes = 4,
                                                  .filter_zero_point = zero_point,
                                                  .cpu = offered | tunings[t]};
        float cycles = 0;
        const struct tvmq_variant *chosen = tvmq_select_gemm(TVMQ_FAMILY_GEMM_S8, &problem, &cycles);
        if (!CHECK(chosen != NULL && (chosen->cpu & ~offered) == 0, "features %#x, case %zu", offered, i)) continue;
        const float expected = cycles_on(chosen, i, &problem);
        CHECK(cycles > 0.999f * expected && cycles < 1.001f * expected, "%s, case %zu: %g instead of %g", chosen->name, i, (double)cycles, (double)expected);
        for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
          if (v->family != TVMQ_FAMILY_GEMM_S8 || (v->cpu & ~offered) != 0) continue;
          CHECK(cycles_on(v, i, &problem) > 0.999f * cycles, "features %#x, tuning %zu, case %zu: %s is faster than %s", offered, t, i, v->name, chosen->name);
        }
      }
    }
  }
}

// A second speed is there because it differs; the first one is always there.
static void check_speeds(void) {
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    const struct tvmq_speed *s = v->speeds;
    CHECK(s[0].rate > 0 && s[0].tile_cycles >= 0 && s[1].rate >= 0 && s[1].tile_cycles >= 0, "%s", v->name);
    CHECK(s[1].rate > 0 || s[1].tile_cycles == 0, "%s: cycles without a rate", v->name);
    CHECK(s[0].rate != s[1].rate || s[0].tile_cycles != s[1].tile_cycles, "%s: one speed serves both", v->name);
    CHECK((v->cpu & TVMQ_CPU_IN_ORDER) == 0, "%s needs what is no feature", v->name);
  }
}

// Outputs are transformed for a panel's channels in whole vectors, on every CPU that has the panel's kernel.
static void check_winograd_outputs(void) {
  float cycles;
  for (size_t n = 1; n <= UINT8_MAX; n++) {
    const struct tvmq_variant *v = tvmq_select_winograd_transform(TVMQ_FAMILY_WINOGRAD_OUTPUT, n, TVMQ_CPU_IN_ORDER - 1, &cycles);
    CHECK(v == NULL ? n % 4 != 0 : n % v->layout.nr == 0, "%zu channels by %s", n, v == NULL ? "none" : v->name);
  }
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (v->family != TVMQ_FAMILY_WINOGRAD_GEMM) continue;
    CHECK(tvmq_select_winograd_transform(TVMQ_FAMILY_WINOGRAD_OUTPUT, v->layout.nr, v->cpu, &cycles) != NULL, "panels of %s", v->name);
  }
}

int main(void) {
  check_gemm(0);
  check_gemm(-3);
  check_winograd_outputs();
  check_speeds();
  return unit_report();
}
