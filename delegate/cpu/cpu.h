// The CPU's name, features and number of processors, and the instruction sets of the option `isa`.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "cpu/cpu_bits.h"

// Returns the features that the operating system reports as usable (HWCAP on Arm, CPUID and XCR0 on x86). Detected
// once.
uint32_t tvmq_cpu_detect(void);

// Returns whether all cores that this thread may use now are known to execute in program order. Defined for each
// architecture.
bool tvmq_cpu_in_order(void);

// Returns the name of the machine (cpu/machine.h) for the cores that this thread may use now, or NULL if there is none.
// Defined for each architecture.
const char *tvmq_cpu_machine(void);

// Returns the human-readable name of the processor ("Cortex-A76", "AMD Ryzen ..."), or "unknown". Static storage.
const char *tvmq_cpu_name(void);

// Returns what tells processors of the same name apart: vendor, family and model, unless the name is derived from them,
// and the features, as in "GenuineIntel 6-143 avx2+avxvnni+avx512vnni+avx512vbmi+amx". Static storage.
const char *tvmq_cpu_identity(void);

// Returns an instruction set that the CPU offers and no kernel of this library uses, although a runtime's kernels may:
// "sme2", "sme", or "" if there is none. Defined for each architecture.
const char *tvmq_cpu_unused(void);

// Appends the names of all sets below that the features contain, as in "avx2+avx512vnni", or "c" if there is none.
void tvmq_cpu_say_features(uint32_t cpu, struct tvmq_text *text);

// Named sets of features, from smallest to largest: the values of the option `isa` and the tiers of the tests.
struct tvmq_isa {
  const char *name;  // c, neon, dotprod, i8mm, avx2, avxvnni, avx512vnni, avx512vbmi, amx
  uint32_t cpu;      // all bits of the set
};
extern const struct tvmq_isa tvmq_isas[];
extern const size_t tvmq_n_isas;
bool tvmq_isa_offered(const struct tvmq_isa *isa);  // returns whether this CPU has all bits of the set

struct tvmq_cpus;

// Returns the number of processors that this process may use, at least 1: limited by the affinity mask and the cgroup
// CPU quota (rounded up).
int tvmq_cpu_count(void);

// Returns whether the affinity mask lets this thread run on processor number `cpu`.
bool tvmq_cpu_may_use(unsigned cpu);

// Returns the quota in thousandths of a processor, or 0 if there is none. root: prefix of /proc and /sys, "" except in
// tests.
int tvmq_cpu_quota(const char *root);

// Returns the most threads that the option num_threads=auto uses, at least 1: as many as `usable` has cores that are
// about as fast as the fastest one, limited to the whole processors of the quota. More would often have to wait.
int tvmq_cpu_auto_count_of(const char *root, const struct tvmq_cpus *usable);
int tvmq_cpu_auto_count(void);  // of the processors that this thread may use
