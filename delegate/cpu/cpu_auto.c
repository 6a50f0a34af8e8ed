#include "base/arith.h"
#include "cpu/affinity.h"
#include "cpu/cpu.h"
#include "cpu/cpu_files.h"

enum { FULL_CAPACITY = 1024 };

// Returns the speed of a processor, as Linux knows it. All are alike on machines where it does not tell.
static long long capacity_of(const char *root, unsigned cpu) {
  long long capacity;
  return tvmq_cpu_number(root, cpu, "cpu_capacity", &capacity) && capacity > 0 ? capacity : FULL_CAPACITY;
}

// Returns the number that tells cores apart: that of the core's first processor.
static size_t core_of(const char *root, unsigned cpu) {
  long long first;
  return tvmq_cpu_number(root, cpu, "topology/thread_siblings_list", &first) && first >= 0 && first < TVMQ_CPUS_MAX ? (size_t)first : cpu;
}

// Returns whether the core is new, and marks it.
static bool mark(struct tvmq_cpus *cores, size_t core) {
  const bool marked = tvmq_cpus_have(cores, core);
  cores->words[core / 32] |= 1u << core % 32;
  return !marked;
}

// Counts the cores of the fast cluster: those above 5/8 of the fastest one's speed. A slower one would be waited for.
// The processors of a single core count each.
static int fast_cores(const char *root, const struct tvmq_cpus *usable) {
  struct tvmq_cpus cores = {.some = false};
  long long fastest = 0;
  int n_cores = 0, n = 0;
  for (unsigned cpu = 0; cpu < TVMQ_CPUS_MAX; cpu++) {
    const long long capacity = tvmq_cpus_have(usable, cpu) ? capacity_of(root, cpu) : 0;
    if (capacity > fastest) fastest = capacity;
  }
  for (unsigned cpu = 0; cpu < TVMQ_CPUS_MAX; cpu++) {
    if (!tvmq_cpus_have(usable, cpu) || capacity_of(root, cpu) * 8 <= fastest * 5) continue;
    n++;
    n_cores += mark(&cores, core_of(root, cpu));
  }
  return n_cores > 1 ? n_cores : n;
}

int tvmq_cpu_auto_count_of(const char *root, const struct tvmq_cpus *usable) {
  const int cores = fast_cores(root, usable), quota = tvmq_cpu_quota(root), whole = quota > 0 ? quota / 1000 : cores;
  return (int)tvmq_max((size_t)(whole < cores ? whole : cores), 1);
}

int tvmq_cpu_auto_count(void) {
  struct tvmq_cpus usable;
  return tvmq_cpus_here(&usable) ? tvmq_cpu_auto_count_of("", &usable) : tvmq_cpu_count();
}
