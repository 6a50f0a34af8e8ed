// Behind cpu.h: what each architecture detects. The functions that read a given input are built everywhere, so that their tests run everywhere.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

// About the CPU that runs this; defined by the file of its architecture.
uint32_t tvmq_cpu_arch_features(void);
void tvmq_cpu_arch_name(char *name, size_t size);  // an empty string if there is none; size > 0
void tvmq_cpu_arch_model(struct tvmq_text *text);  // vendor, family and model; nothing where the name comes from them

// Arm: from the kernel's AT_HWCAP and AT_HWCAP2.
uint32_t tvmq_arm_features(uint64_t hwcap, uint64_t hwcap2);

// Name of the core that a MIDR_EL1 value identifies, or NULL.
const char *tvmq_arm_core_name(uint32_t midr);

// A description of all cores together.
struct tvmq_arm_cores {
  char name[128];       // distinct ones in the order of the processors, joined by " + "; what does not fit is left out
  unsigned usable;      // processors that `may_use` admits
  bool in_order;        // all of these are known to execute in order
  const char *machine;  // the row of cpu/machine.h for them; NULL: there is none, or they differ
};

// From `root`/sys, else from `root`/proc/cpuinfo. `root` is "" except in tests.
void tvmq_arm_cores(const char *root, bool (*may_use)(unsigned cpu), struct tvmq_arm_cores *cores);

// x86: registers of CPUID leaves 1, 7.0 and 7.1, and XCR0 (0 where the operating system does not use xsave) without what it has not granted to this process.
struct tvmq_cpuid {
  uint32_t leaf1_ecx, leaf7_ebx, leaf7_ecx, leaf7_1_eax;
  uint64_t xcr0;
  uint32_t leaf7_edx;
};
uint32_t tvmq_x86_features(const struct tvmq_cpuid *cpuid);

// For a vendor (the twelve letters of leaf 0), and a family and model (EAX of leaf 1): these in words, "GenuineIntel 6-143"; and, with features, the row of
// cpu/machine.h, NULL where there is none.
void tvmq_x86_say_model(const char *vendor, uint32_t leaf1_eax, struct tvmq_text *text);
const char *tvmq_x86_machine(const char *vendor, uint32_t leaf1_eax, uint32_t features);
