// Detection for each architecture, on which cpu.h is built. Functions that only interpret their input are built
// everywhere, so that their tests run everywhere.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

// Describe the CPU that runs this code. Defined for each architecture.
uint32_t tvmq_cpu_arch_features(void);
void tvmq_cpu_arch_name(char *name, size_t size);  // "" if there is none; size > 0
void tvmq_cpu_arch_model(struct tvmq_text *text);  // vendor, family and model; nothing if the name is derived from them

// Arm: returns the features in the kernel's AT_HWCAP and AT_HWCAP2.
uint32_t tvmq_arm_features(uint64_t hwcap, uint64_t hwcap2);

// Arm: returns the set in AT_HWCAP2 that no kernel uses: "sme2", "sme" or "".
const char *tvmq_arm_unused(uint64_t hwcap2);

// A row of arm_cores.def, which describes the members.
struct tvmq_known_core {
  uint8_t implementer;
  uint16_t part;
  bool in_order;
  const char *name, *machine;
  double ghz;
};
extern const struct tvmq_known_core tvmq_known_cores[];
extern const size_t tvmq_n_known_cores;

// A description of all cores together.
struct tvmq_arm_cores {
  char name[128];       // distinct names in the order of the processors, joined by " + "; names that do not fit are left out
  unsigned usable;      // number of processors that `may_use` admits
  bool in_order;        // all usable processors execute in order: known cores that do, and unknown ones that are much slower than the others
  const char *machine;  // name of the machine (cpu/machine.h) for the usable processors; NULL if there is none or they differ
};

// Arm: reads the cores from `root`/sys, or else from `root`/proc/cpuinfo. root: "" except in tests.
void tvmq_arm_cores(const char *root, bool (*may_use)(unsigned cpu), struct tvmq_arm_cores *cores);

// x86: registers of CPUID leaves 1, 7.0 and 7.1, and XCR0. xcr0: 0 if the operating system does not use xsave; without
// the bits that it has not granted to this process.
struct tvmq_cpuid {
  uint32_t leaf1_ecx, leaf7_ebx, leaf7_ecx, leaf7_1_eax;
  uint64_t xcr0;
  uint32_t leaf7_edx;
};
uint32_t tvmq_x86_features(const struct tvmq_cpuid *cpuid);

// x86: `say_model` appends vendor, family and model, as in "GenuineIntel 6-143". `machine` returns the name of the
// machine (cpu/machine.h), or NULL if there is none. vendor: the twelve letters of leaf 0. leaf1_eax: EAX of leaf 1.
void tvmq_x86_say_model(const char *vendor, uint32_t leaf1_eax, struct tvmq_text *text);
const char *tvmq_x86_machine(const char *vendor, uint32_t leaf1_eax, uint32_t features);
