// The choice among variants: whatever is chosen may run, is estimated to cost the least of all that may, and can be forced along with all of them. What an
// estimate says is checked by its properties, not by its formula.
#include <math.h>

#include "cpu/plan/select.h"
#include "unit.h"

// Sizes that networks have: few and many rows, channels and depths.
static const struct {
  size_t m, n, k, n_taps;
} gemms[] = {{1, 1, 1, 1}, {48, 64, 24, 1}, {12544, 16, 32, 1}, {3136, 32, 32, 1}, {49, 320, 960, 1}, {196, 512, 512, 9}, {9, 10, 64, 1}};

enum { ALL_FEATURES = 2 * TVMQ_CPU_AMX - 1 };

static struct tvmq_gemm_problem problem_of(size_t i, int32_t zero_point, uint32_t cpu, const struct tvmq_machine *machine) {
  return (struct tvmq_gemm_problem){.m = gemms[i].m,
                                    .n = gemms[i].n,
                                    .k = gemms[i].k,
                                    .n_taps = gemms[i].n_taps,
                                    .acc_bytes = 4,
                                    .filter_zero_point = zero_point,
                                    .target = {.cpu = cpu, .machine = machine}};
}

// The estimated cost of the variant alone; INFINITY: it may not be chosen.
static float cycles_of(const struct tvmq_variant *v, struct tvmq_gemm_problem problem) {
  float cycles = INFINITY;
  problem.target.only = v;
  const struct tvmq_variant *chosen = tvmq_select_gemm(TVMQ_FAMILY_GEMM_S8, &problem, &cycles);
  CHECK(chosen == NULL || chosen == v, "asked for %s, got %s", v->name, chosen == NULL ? "none" : chosen->name);
  CHECK((chosen == NULL) == isinf(cycles), "%s costs %g", v->name, (double)cycles);
  return chosen == NULL ? INFINITY : cycles;
}

// The variant that is chosen may run, and none that may is estimated to cost less.
static void check_gemm(uint32_t cpu, const struct tvmq_machine *machine, size_t i, int32_t zero_point) {
  const struct tvmq_gemm_problem problem = problem_of(i, zero_point, cpu, machine);
  float cycles = 0;
  const struct tvmq_variant *chosen = tvmq_select_gemm(TVMQ_FAMILY_GEMM_S8, &problem, &cycles);
  if (!CHECK(chosen != NULL && (chosen->cpu & ~cpu) == 0, "%s, features %#x, case %zu", machine->name, cpu, i)) return;
  CHECK(cycles == cycles_of(chosen, problem), "%s, case %zu: other cycles when it is forced", chosen->name, i);
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    const float other = cycles_of(v, problem);
    const bool may = v->family == TVMQ_FAMILY_GEMM_S8 && (v->cpu & ~cpu) == 0 &&
                     ((v->flags & TVMQ_MATRIX_ROWS) == 0 || (v->flags & TVMQ_LINES) != 0 || v->layout.a_offset == 0);
    CHECK(isinf(other) == !may, "%s may%s be chosen with features %#x", v->name, may ? "" : " not", cpu);
    CHECK(other >= cycles, "%s, features %#x, case %zu: %s is estimated faster than %s", machine->name, cpu, i, v->name, chosen->name);
  }
}

// More work never costs less, and rows that have to be summed cost something.
static void check_growth(const struct tvmq_machine *machine) {
  static struct tvmq_speed speeds[TVMQ_MOST_VARIANTS];
  for (size_t v = 0; v < tvmq_n_variants; v++) speeds[v] = tvmq_speed_of(&tvmq_variants[v], machine);
  struct tvmq_machine slower = *machine;  // to begin with a tap
  slower.every_speed = speeds;
  slower.tap_cycles += 1e5f;
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    for (size_t i = 0; i < N_ELEMENTS(gemms); i++) {
      struct tvmq_gemm_problem problem = problem_of(i, 0, ALL_FEATURES, machine);
      const float cycles = cycles_of(v, problem);
      if (isinf(cycles)) continue;
      for (int grown = 0; grown < 4; grown++) {
        struct tvmq_gemm_problem more = problem;
        *(size_t *[]){&more.m, &more.n, &more.k, &more.n_taps}[grown] *= 2;
        CHECK(cycles_of(v, more) >= cycles, "%s, %s, case %zu: twice the work costs less", machine->name, v->name, i);
      }
      problem.gap_cycles = 1e6f;
      CHECK((cycles_of(v, problem) > cycles) == ((v->flags & TVMQ_GAPS) == 0), "%s, %s, case %zu: gaps", machine->name, v->name, i);
      problem.gap_cycles = 0;
      problem.target.machine = &slower;
      CHECK((cycles_of(v, problem) > cycles) == ((v->flags & TVMQ_LINES) != 0), "%s, %s, case %zu: taps", machine->name, v->name, i);
      problem.target.machine = machine;
      problem.filter_zero_point = -3;
      const bool sums = v->layout.weight_bytes == 1;
      CHECK(sums ? cycles_of(v, problem) > cycles : cycles_of(v, problem) == cycles, "%s, %s, case %zu: row sums", machine->name, v->name, i);
      CHECK((tvmq_gemm_row_cycles(v, &problem) > 0) == (sums || (v->flags & TVMQ_ZIPPED_ROWS) != 0), "%s, %s, case %zu: rows", machine->name, v->name, i);
    }
  }
}

// Variants lie in the order of their families, by which a choice finds those of its own.
static void check_order(void) {
  for (const struct tvmq_variant *v = tvmq_variants + 1; v < tvmq_variants + tvmq_n_variants; v++)
    CHECK(v[-1].family <= v->family, "%s lies behind %s", v->name, v[-1].name);
}

// A second speed is there because it differs; the first one is always there.
static void check_speeds(void) {
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    const struct tvmq_speed *s = v->speeds;
    CHECK(s[0].rate > 0 && s[0].tile_cycles >= 0 && s[1].rate >= 0 && s[1].tile_cycles >= 0, "%s", v->name);
    CHECK(s[1].rate > 0 || s[1].tile_cycles == 0, "%s: cycles without a rate", v->name);
    CHECK(s[0].rate != s[1].rate || s[0].tile_cycles != s[1].tile_cycles, "%s: one speed serves both", v->name);
  }
}

// Kernels that machines speak of exist, whether or not they are built.
static void check_machine_speeds(const struct tvmq_machine *machine) {
  for (size_t i = 0; i < machine->n_speeds; i++) {
    const struct tvmq_kernel_speed *s = &machine->speeds[i];
    CHECK(s->rate > 0 && s->tile_cycles >= 0, "%s on %s", s->kernel, machine->name);
    bool found = false;
    for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
      if (strcmp(v->name, s->kernel) != 0) continue;
      found = true;
      const struct tvmq_speed speed = tvmq_speed_of(v, machine);
      CHECK(speed.rate == s->rate && speed.tile_cycles == s->tile_cycles, "%s on %s", s->kernel, machine->name);
    }
    CHECK(found, "%s has a speed for %s, which is no kernel", machine->name, s->kernel);
  }
}

// Outputs are transformed for a panel's channels in whole vectors, on every CPU that has the panel's kernel.
static void check_winograd_outputs(const struct tvmq_machine *machine) {
  struct tvmq_target target = {.cpu = ALL_FEATURES, .machine = machine};
  float cycles;
  for (size_t n = 1; n <= UINT8_MAX; n++) {
    const struct tvmq_variant *v = tvmq_select_winograd_transform(TVMQ_FAMILY_WINOGRAD_OUTPUT, n, 0, &target, &cycles);
    CHECK(v == NULL ? n % 4 != 0 : n % v->layout.nr == 0, "%zu channels by %s", n, v == NULL ? "none" : v->name);
  }
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (v->family != TVMQ_FAMILY_WINOGRAD_GEMM) continue;
    target.cpu = v->cpu;
    CHECK(tvmq_select_winograd_transform(TVMQ_FAMILY_WINOGRAD_OUTPUT, v->layout.nr, v->flags, &target, &cycles) != NULL, "panels of %s", v->name);
  }
}

int main(void) {
  for (size_t machine = 0; machine < tvmq_n_machines; machine++) {
    for (size_t i = 0; i < N_ELEMENTS(gemms); i++) {
      for (uint32_t cpu = 0; cpu <= ALL_FEATURES; cpu = 2 * cpu + 1) {
        check_gemm(cpu, &tvmq_machines[machine], i, 0);
        check_gemm(cpu, &tvmq_machines[machine], i, -3);
      }
    }
    check_growth(&tvmq_machines[machine]);
    check_winograd_outputs(&tvmq_machines[machine]);
    check_machine_speeds(&tvmq_machines[machine]);
  }
  check_order();
  check_speeds();
  return unit_report();
}
