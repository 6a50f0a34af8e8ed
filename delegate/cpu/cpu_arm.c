#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cpu/cpu.h"
#include "cpu/cpu_arch.h"
#include "cpu/cpu_bits.h"
#include "cpu/cpu_files.h"

// Bits of the auxiliary vector, by number because older C libraries lack the newer names.
enum { HWCAP_ASIMD = 1 << 1, HWCAP_CPUID = 1 << 11, HWCAP_ASIMDDP = 1 << 20, HWCAP2_I8MM = 1 << 13, HWCAP2_SME = 1 << 23 };
static const uint64_t HWCAP2_SME2 = 1ull << 37;

uint32_t tvmq_arm_features(uint64_t hwcap, uint64_t hwcap2) {
  uint32_t cpu = 0;
  if ((hwcap & HWCAP_ASIMD) != 0) cpu |= TVMQ_CPU_NEON;
  if ((hwcap & HWCAP_ASIMDDP) != 0) cpu |= TVMQ_CPU_DOTPROD;
  if ((hwcap2 & HWCAP2_I8MM) != 0) cpu |= TVMQ_CPU_I8MM;
  return cpu;
}

const char *tvmq_arm_unused(uint64_t hwcap2) { return (hwcap2 & HWCAP2_SME2) != 0 ? "sme2" : (hwcap2 & HWCAP2_SME) != 0 ? "sme" : ""; }

const struct tvmq_known_core tvmq_known_cores[] = {
#define TVMQ_ARM_CORE(...) {__VA_ARGS__},
#include "cpu/arm_cores.def"
};
const size_t tvmq_n_known_cores = sizeof tvmq_known_cores / sizeof tvmq_known_cores[0];

// MIDR_EL1: implementer in bits 31..24, part number in bits 15..4.
static const struct tvmq_known_core *find_core(uint32_t midr) {
  for (size_t i = 0; i < tvmq_n_known_cores; i++) {
    const struct tvmq_known_core *core = &tvmq_known_cores[i];
    if (core->implementer == midr >> 24 && core->part == (midr >> 4 & 0xfff)) return core;
  }
  return NULL;
}

// Appends a name unless it is already in the list. Leaves it out if it does not fit.
static void add_name(char *names, size_t size, const char *core) {
  char before[256], between[256];
  // Whole names are compared, so that Cortex-A76 is added after Cortex-A76AE.
  snprintf(before, sizeof before, " + %.200s + ", names);
  snprintf(between, sizeof between, " + %s + ", core);
  if (strstr(before, between) != NULL) return;
  const size_t length = strlen(names), needed = strlen(core) + (length > 0 ? 3 : 0);
  struct tvmq_text text = {.at = names, .size = size, .length = length};
  if (length + needed < size) tvmq_say(&text, "%s%s", length > 0 ? " + " : "", core);
}

// Updates the machine for another usable core. If cores differ, the out-of-order cores decide, provided that they share
// a machine.
static void add_machine(struct tvmq_arm_cores *cores, const struct tvmq_known_core *core, bool in_order) {
  const char *machine = core != NULL && core->machine[0] != '\0' ? core->machine : NULL;
  if (cores->usable == 0 || (cores->in_order && !in_order)) {
    cores->machine = machine;
  } else if (in_order == cores->in_order && (machine == NULL || cores->machine == NULL || strcmp(machine, cores->machine) != 0)) {
    cores->machine = NULL;
  }
}

// Guesses whether the core of a processor executes in order: its speed, as Linux knows it, is far below that of the
// fastest core, which is 1024. Out-of-order cores at a low clock can be misjudged, so known cores are looked up.
static bool is_small(const char *root, unsigned cpu) {
  enum { MOST_CAPACITY = 1024 * 5 / 8 };
  long long capacity;
  return tvmq_cpu_number(root, cpu, "cpu_capacity", &capacity) && capacity <= MOST_CAPACITY;
}

// root, cpu: where Linux describes the processor; root is NULL if it does not.
static void add_core(struct tvmq_arm_cores *cores, uint32_t midr, bool usable, const char *root, unsigned cpu) {
  const struct tvmq_known_core *core = find_core(midr);
  char number[32];
  snprintf(number, sizeof number, "MIDR 0x%08x", midr);
  add_name(cores->name, sizeof cores->name, core != NULL ? core->name : number);
  if (!usable) return;
  const bool in_order = core != NULL ? core->in_order : root != NULL && is_small(root, cpu);
  add_machine(cores, core, in_order);
  cores->in_order = (cores->usable == 0 || cores->in_order) && in_order;
  cores->usable++;
}

static void cores_of_sysfs(const char *root, bool (*may_use)(unsigned cpu), struct tvmq_arm_cores *cores) {
  for (unsigned cpu = 0;; cpu++) {
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u", cpu);
    FILE *file = tvmq_cpu_open(root, path);
    if (file == NULL) return;
    fclose(file);
    // The directory of an offline processor does not have this file.
    long long midr;
    if (tvmq_cpu_number(root, cpu, "regs/identification/midr_el1", &midr)) add_core(cores, (uint32_t)midr, may_use(cpu), root, cpu);
  }
}

static void cores_of_cpuinfo(const char *root, bool (*may_use)(unsigned cpu), struct tvmq_arm_cores *cores) {
  FILE *file = tvmq_cpu_open(root, "/proc/cpuinfo");
  if (file == NULL) return;
  char line[256];
  unsigned cpu = 0, implementer = 0, part;
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "processor : %u", &cpu) == 1 || sscanf(line, "CPU implementer : %x", &implementer) == 1) continue;
    if (sscanf(line, "CPU part : %x", &part) != 1) continue;
    add_core(cores, implementer << 24 | 0xfu << 16 | part << 4, may_use(cpu), root, cpu);
  }
  fclose(file);
}

void tvmq_arm_cores(const char *root, bool (*may_use)(unsigned cpu), struct tvmq_arm_cores *cores) {
  *cores = (struct tvmq_arm_cores){0};
  cores_of_sysfs(root, may_use, cores);
  if (cores->name[0] == '\0') cores_of_cpuinfo(root, may_use, cores);
}

#if defined(__aarch64__)
#include <sys/auxv.h>

uint32_t tvmq_cpu_arch_features(void) { return tvmq_arm_features(getauxval(AT_HWCAP), getauxval(AT_HWCAP2)); }

const char *tvmq_cpu_unused(void) { return tvmq_arm_unused(getauxval(AT_HWCAP2)); }

// Describes the cores that this thread may use. Without both file systems, reads the MIDR register of the current core
// if the kernel allows it.
static void cores_here(struct tvmq_arm_cores *cores) {
  tvmq_arm_cores("", tvmq_cpu_may_use, cores);
  if (cores->name[0] == '\0' && (getauxval(AT_HWCAP) & HWCAP_CPUID) != 0) {
    uint64_t midr;
    __asm__("mrs %0, midr_el1" : "=r"(midr));
    add_core(cores, (uint32_t)midr, true, NULL, 0);
  }
}

void tvmq_cpu_arch_name(char *name, size_t size) {
  struct tvmq_arm_cores cores;
  cores_here(&cores);
  snprintf(name, size, "%s", cores.name);
}

void tvmq_cpu_arch_model(struct tvmq_text *text) { (void)text; }  // names of cores come from MIDR

const char *tvmq_cpu_machine(void) {
  struct tvmq_arm_cores cores;
  cores_here(&cores);
  return cores.machine;
}

bool tvmq_cpu_in_order(void) {
  struct tvmq_arm_cores cores;
  cores_here(&cores);
  return cores.in_order;
}
#endif
