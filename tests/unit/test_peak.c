#include <math.h>

#include "base/memory.h"
#include "cpu/cpu.h"
#include "cpu/plan/peak.h"
#include "cpu/plan/select.h"
#include "unit.h"

static const double MOST_RATE = 2048 * 6e9;  // of a core: AMX's multiply-accumulates a cycle, at a clock that no processor has

static void check_peak(uint32_t cpu, int n_threads) {
  const size_t live = tvmq_alloc_live();
  struct tvmq_threads *threads = tvmq_threads_create(n_threads);
  struct tvmq_peak_info peak;
  CHECK(tvmq_peak_measure(cpu, threads, &peak), "%d threads", n_threads);
  CHECK(peak.threads == n_threads, "%d threads of %d", peak.threads, n_threads);
  bool known = false;
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    const struct tvmq_variant *v = &tvmq_variants[i];
    known |= strcmp(v->name, peak.kernel) == 0 && v->family == TVMQ_FAMILY_GEMM_S8 && (v->cpu & ~cpu) == 0;
  }
  CHECK(known, "%s", peak.kernel);
  const double rates[] = {peak.macs_per_second, peak.cache_bytes_per_second, peak.memory_bytes_per_second};
  for (size_t i = 0; i < N_ELEMENTS(rates); i++) CHECK(isfinite(rates[i]) && rates[i] > 0, "rate %zu: %g", i, rates[i]);
  CHECK(peak.macs_per_second < MOST_RATE * n_threads, "%g multiply-accumulates a second", peak.macs_per_second);
  printf("%s, %d thread(s): %.1f GMAC/s, %.1f GB/s from the caches, %.1f GB/s from memory\n", peak.kernel, peak.threads, rates[0] * 1e-9, rates[1] * 1e-9,
         rates[2] * 1e-9);
  tvmq_threads_destroy(threads);
  CHECK(tvmq_alloc_live() == live, "nothing left");
}

static void check_memory(void) {
  const size_t live = tvmq_alloc_live();
  bool measured = false;
  for (size_t n = 1; !measured && n < 100; n++) {
    struct tvmq_peak_info peak;
    tvmq_alloc_fail_at(n);
    measured = tvmq_peak_measure(0, NULL, &peak);
    tvmq_alloc_fail_at(0);
    CHECK(tvmq_alloc_live() == live, "allocation %zu", n);
  }
  CHECK(measured, "succeeds at last");
}

int main(void) {
  check_peak(0, 1);
  check_peak(tvmq_cpu_detect(), 2);
  check_memory();
  return unit_report();
}
