#include <stdio.h>
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/cpu_arch.h"
#include "cpu/cpu_bits.h"

// Bits of the auxiliary vector, by number because older C libraries lack the newer names.
enum { HWCAP_ASIMD = 1 << 1, HWCAP_CPUID = 1 << 11, HWCAP_ASIMDDP = 1 << 20, HWCAP2_I8MM = 1 << 13 };

uint32_t tvmq_arm_features(uint64_t hwcap, uint64_t hwcap2) {
  uint32_t cpu = 0;
  if ((hwcap & HWCAP_ASIMD) != 0) cpu |= TVMQ_CPU_NEON;
  if ((hwcap & HWCAP_ASIMDDP) != 0) cpu |= TVMQ_CPU_DOTPROD;
  if ((hwcap2 & HWCAP2_I8MM) != 0) cpu |= TVMQ_CPU_I8MM;
  return cpu;
}

// MIDR_EL1: implementer in bits 31..24, part number in bits 15..4.
static const struct core {
  uint8_t implementer;
  uint16_t part;
  bool in_order;
  const char *name, *machine;  // machine: row of machine.c for this core or a similar one; NULL: none
} known_cores[] = {
    {0x41, 0xd02, true, "Cortex-A34", "cortex-a53"},
    {0x41, 0xd03, true, "Cortex-A53", "cortex-a53"},
    {0x41, 0xd04, true, "Cortex-A35", "cortex-a53"},
    {0x41, 0xd05, true, "Cortex-A55", "cortex-a55"},
    {0x41, 0xd06, false, "Cortex-A65", NULL},
    {0x41, 0xd07, false, "Cortex-A57", "cortex-a72"},
    {0x41, 0xd08, false, "Cortex-A72", "cortex-a72"},
    {0x41, 0xd09, false, "Cortex-A73", "cortex-a72"},
    {0x41, 0xd0a, false, "Cortex-A75", "neoverse-n1"},
    {0x41, 0xd0b, false, "Cortex-A76", "neoverse-n1"},
    {0x41, 0xd0c, false, "Neoverse-N1", "neoverse-n1"},
    {0x41, 0xd0d, false, "Cortex-A77", "neoverse-n1"},
    {0x41, 0xd0e, false, "Cortex-A76AE", "neoverse-n1"},
    {0x41, 0xd40, false, "Neoverse-V1", "neoverse-v1"},
    {0x41, 0xd41, false, "Cortex-A78", "neoverse-n1"},
    {0x41, 0xd42, false, "Cortex-A78AE", "neoverse-n1"},
    {0x41, 0xd43, false, "Cortex-A65AE", NULL},
    {0x41, 0xd44, false, "Cortex-X1", "neoverse-n1"},
    {0x41, 0xd46, true, "Cortex-A510", "cortex-a55"},
    {0x41, 0xd47, false, "Cortex-A710", "neoverse-v1"},
    {0x41, 0xd48, false, "Cortex-X2", "neoverse-v1"},
    {0x41, 0xd49, false, "Neoverse-N2", "neoverse-v1"},
    {0x41, 0xd4a, false, "Neoverse-E1", NULL},
    {0x41, 0xd4b, false, "Cortex-A78C", "neoverse-n1"},
    {0x41, 0xd4c, false, "Cortex-X1C", "neoverse-n1"},
    {0x41, 0xd4d, false, "Cortex-A715", "neoverse-v1"},
    {0x41, 0xd4e, false, "Cortex-X3", "neoverse-v1"},
    {0x41, 0xd4f, false, "Neoverse-V2", "neoverse-v1"},
    {0x41, 0xd80, true, "Cortex-A520", "cortex-a55"},
    {0x41, 0xd81, false, "Cortex-A720", "neoverse-v1"},
    {0x41, 0xd82, false, "Cortex-X4", "neoverse-v1"},
    {0x41, 0xd83, false, "Neoverse-V3AE", "neoverse-v1"},
    {0x41, 0xd84, false, "Neoverse-V3", "neoverse-v1"},
    {0x41, 0xd85, false, "Cortex-X925", "neoverse-v1"},
    {0x41, 0xd87, false, "Cortex-A725", "neoverse-v1"},
    {0x41, 0xd88, true, "Cortex-A520AE", "cortex-a55"},
    {0x41, 0xd89, false, "Cortex-A720AE", "neoverse-v1"},
    {0x41, 0xd8e, false, "Neoverse-N3", "neoverse-v1"},
    {0x43, 0x0a1, true, "ThunderX", NULL},
    {0x43, 0x0af, false, "ThunderX2", NULL},
    {0x46, 0x001, false, "A64FX", NULL},
    {0x48, 0xd01, false, "TaiShan v110", "neoverse-n1"},
    {0x48, 0xd40, false, "Cortex-A76", "neoverse-n1"},
    {0x4e, 0x003, false, "Denver 2", NULL},
    {0x4e, 0x004, false, "Carmel", NULL},
    {0x51, 0x001, false, "Oryon", NULL},
    {0x51, 0x800, false, "Kryo 2xx Gold", "cortex-a72"},
    {0x51, 0x801, true, "Kryo 2xx Silver", "cortex-a53"},
    {0x51, 0x802, false, "Kryo 3xx Gold", "neoverse-n1"},
    {0x51, 0x803, true, "Kryo 3xx Silver", "cortex-a55"},
    {0x51, 0x804, false, "Kryo 4xx Gold", "neoverse-n1"},
    {0x51, 0x805, true, "Kryo 4xx Silver", "cortex-a55"},
    {0x51, 0xc00, false, "Falkor", NULL},
    {0x51, 0xc01, false, "Saphira", NULL},
    {0x53, 0x001, false, "Exynos M1", NULL},
    {0x53, 0x002, false, "Exynos M3", NULL},
    {0x53, 0x003, false, "Exynos M4", NULL},
    {0x53, 0x004, false, "Exynos M5", NULL},
    {0x6d, 0xd49, false, "Azure Cobalt 100", "neoverse-v1"},
    {0xc0, 0xac3, false, "AmpereOne", NULL},
    {0xc0, 0xac4, false, "AmpereOne A", NULL},
};

static const struct core *find_core(uint32_t midr) {
  for (size_t i = 0; i < sizeof known_cores / sizeof known_cores[0]; i++) {
    if (known_cores[i].implementer == midr >> 24 && known_cores[i].part == (midr >> 4 & 0xfff)) return &known_cores[i];
  }
  return NULL;
}

const char *tvmq_arm_core_name(uint32_t midr) {
  const struct core *core = find_core(midr);
  return core != NULL ? core->name : NULL;
}

// Appends a name unless it is already in the list. Leaves it out if it does not fit.
static void add_name(char *names, size_t size, const char *core) {
  char before[256], between[256];
  // Whole names are compared, so that Cortex-A76 is added after Cortex-A76AE.
  snprintf(before, sizeof before, " + %.200s + ", names);
  snprintf(between, sizeof between, " + %s + ", core);
  if (strstr(before, between) != NULL) return;
  const size_t length = strlen(names), needed = strlen(core) + (length > 0 ? 3 : 0);
  if (length + needed < size) snprintf(names + length, size - length, "%s%s", length > 0 ? " + " : "", core);
}

// Updates the machine for another usable core. If cores differ, the out-of-order cores decide, provided that they share
// a machine.
static void add_machine(struct tvmq_arm_cores *cores, const struct core *core) {
  const bool in_order = core != NULL && core->in_order;
  const char *machine = core != NULL ? core->machine : NULL;
  if (cores->usable == 0 || (cores->in_order && !in_order)) {
    cores->machine = machine;
  } else if (in_order == cores->in_order && (machine == NULL || cores->machine == NULL || strcmp(machine, cores->machine) != 0)) {
    cores->machine = NULL;
  }
}

static void add_core(struct tvmq_arm_cores *cores, uint32_t midr, bool usable) {
  const struct core *core = find_core(midr);
  char number[32];
  snprintf(number, sizeof number, "MIDR 0x%08x", midr);
  add_name(cores->name, sizeof cores->name, core != NULL ? core->name : number);
  if (!usable) return;
  add_machine(cores, core);
  cores->in_order = (cores->usable == 0 || cores->in_order) && core != NULL && core->in_order;
  cores->usable++;
}

static FILE *open_below(const char *root, const char *path) {
  char whole[512];
  const int length = snprintf(whole, sizeof whole, "%s%s", root, path);
  return length > 0 && (size_t)length < sizeof whole ? fopen(whole, "re") : NULL;
}

static bool reads_number(FILE *file, unsigned long long *number) {
  if (file == NULL) return false;
  const bool read = fscanf(file, "%llx", number) == 1;
  fclose(file);
  return read;
}

static void cores_of_sysfs(const char *root, bool (*may_use)(unsigned cpu), struct tvmq_arm_cores *cores) {
  for (unsigned cpu = 0;; cpu++) {
    char path[96];
    const int directory = snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u", cpu);
    FILE *file = open_below(root, path);
    if (file == NULL) return;
    fclose(file);
    // The directory of an offline processor does not have this file.
    snprintf(path + directory, sizeof path - (size_t)directory, "/regs/identification/midr_el1");
    unsigned long long midr;
    if (reads_number(open_below(root, path), &midr)) add_core(cores, (uint32_t)midr, may_use(cpu));
  }
}

static void cores_of_cpuinfo(const char *root, bool (*may_use)(unsigned cpu), struct tvmq_arm_cores *cores) {
  FILE *file = open_below(root, "/proc/cpuinfo");
  if (file == NULL) return;
  char line[256];
  unsigned cpu = 0, implementer = 0, part;
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "processor : %u", &cpu) == 1 || sscanf(line, "CPU implementer : %x", &implementer) == 1) continue;
    if (sscanf(line, "CPU part : %x", &part) == 1) add_core(cores, implementer << 24 | 0xfu << 16 | part << 4, may_use(cpu));
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

// Describes the cores that this thread may use. Without both file systems, reads the MIDR register of the current core
// if the kernel allows it.
static void cores_here(struct tvmq_arm_cores *cores) {
  tvmq_arm_cores("", tvmq_cpu_may_use, cores);
  if (cores->name[0] == '\0' && (getauxval(AT_HWCAP) & HWCAP_CPUID) != 0) {
    uint64_t midr;
    __asm__("mrs %0, midr_el1" : "=r"(midr));
    add_core(cores, (uint32_t)midr, true);
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
