// The features of the CPU, and the `isa` override.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "cpu/cpu_bits.h"

// Features that the operating system reports as usable (HWCAP on Arm, CPUID and XCR0 on x86). Detected once.
uint32_t tvmq_cpu_detect(void);

// True if every core that this thread may use now is known to execute instructions in the order of the program. Defined by the file of its architecture.
bool tvmq_cpu_in_order(void);

// The name of the row of cpu/machine.h that is made for the cores that this thread may use now; NULL: there is none. Defined by the file of its architecture.
const char *tvmq_cpu_machine(void);

// Human-readable name of the processor ("Cortex-A76", "AMD Ryzen ..."), or "unknown". Static storage.
const char *tvmq_cpu_name(void);

// Beside the name, so that processors of one name are told apart: vendor, family and model unless the name comes from them, and the features,
// "GenuineIntel 6-143 avx2+avxvnni+avx512vnni+avx512vbmi+amx". Static storage.
const char *tvmq_cpu_identity(void);

// Features by the names of the sets below that they contain, "avx2+avx512vnni"; "c" if they contain none.
void tvmq_cpu_say_features(uint32_t cpu, struct tvmq_text *text);

// Closed sets of features, from least to most: a name for the `isa` option and for the test tiers.
struct tvmq_isa {
  const char *name;  // c, neon, dotprod, i8mm, avx2, avxvnni, avx512vnni, avx512vbmi, amx
  uint32_t cpu;      // every bit of the set
};
extern const struct tvmq_isa tvmq_isas[];
extern const size_t tvmq_n_isas;
bool tvmq_isa_offered(const struct tvmq_isa *isa);  // this CPU has every bit of it

// Processors that this process may run on: affinity mask and cgroup CPU quota (rounded up), at least 1.
int tvmq_cpu_count(void);

// The affinity mask alone: whether this thread may run on processor number `cpu`.
bool tvmq_cpu_may_use(unsigned cpu);

// The quota alone: 0 without one. `root` stands before /proc and /sys: "" except in tests.
int tvmq_cpu_quota(const char *root);
