#include <stdio.h>

#include "base/arith.h"
#include "cpu/affinity.h"
#include "cpu/cpu.h"
#include "cpu/cpu_files.h"

// Files in which Linux tells how fast a processor is, the most reliable first. Their units differ.
static const char *const speed_files[] = {"cpu_capacity", "acpi_cppc/highest_perf", "cpufreq/cpuinfo_max_freq"};

// Returns the number in the file of a processor, or 0 if there is none.
static long long number_in(const char *root, unsigned cpu, const char *file) {
  long long number;
  return tvmq_cpu_number(root, cpu, file, &number) && number > 0 ? number : 0;
}

// Returns the first file that all of these processors have, or NULL.
static const char *find_speed_file(const char *root, const struct tvmq_cpus *usable) {
  for (size_t i = 0; i < sizeof speed_files / sizeof speed_files[0]; i++) {
    bool all = true;
    for (unsigned cpu = 0; all && cpu < TVMQ_CPUS_MAX; cpu++) all = !tvmq_cpus_have(usable, cpu) || number_in(root, cpu, speed_files[i]) > 0;
    if (all) return speed_files[i];
  }
  return NULL;
}

// Returns whether the processor is one of the efficient cores of an Intel processor with two kinds, which Linux lists as
// "16-23" or "4,6". Their frequencies hardly differ from those of the other kind.
static bool is_efficient(const char *root, unsigned cpu) {
  FILE *file = tvmq_cpu_open(root, "/sys/devices/cpu_atom/cpus");
  bool found = false;
  unsigned first, last;
  if (file == NULL) return false;
  for (int n; !found && (n = fscanf(file, "%u-%u", &first, &last)) > 0;) {
    found = first <= cpu && cpu <= (n == 2 ? last : first);
    fgetc(file);  // the comma
  }
  fclose(file);
  return found;
}

// Returns the speed of a processor. `file`: the file that tells; NULL: all are alike.
static long long speed_of(const char *root, unsigned cpu, const char *file) {
  const long long speed = file != NULL ? number_in(root, cpu, file) : 2;
  return is_efficient(root, cpu) ? speed / 2 : speed;
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
  const char *file = find_speed_file(root, usable);
  long long fastest = 0;
  int n_cores = 0, n = 0;
  for (unsigned cpu = 0; cpu < TVMQ_CPUS_MAX; cpu++) {
    const long long speed = tvmq_cpus_have(usable, cpu) ? speed_of(root, cpu, file) : 0;
    if (speed > fastest) fastest = speed;
  }
  for (unsigned cpu = 0; cpu < TVMQ_CPUS_MAX; cpu++) {
    if (!tvmq_cpus_have(usable, cpu) || speed_of(root, cpu, file) * 8 <= fastest * 5) continue;
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
