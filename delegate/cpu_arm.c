#include <stdio.h>
#include <string.h>

#include "cpu_arch.h"
#include "cpu_bits.h"

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
static const struct {
  uint8_t implementer;
  uint16_t part;
  const char *name;
} cores[] = {
    {0x41, 0xd02, "Cortex-A34"},    {0x41, 0xd03, "Cortex-A53"},      {0x41, 0xd04, "Cortex-A35"},       {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd06, "Cortex-A65"},    {0x41, 0xd07, "Cortex-A57"},      {0x41, 0xd08, "Cortex-A72"},       {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},    {0x41, 0xd0b, "Cortex-A76"},      {0x41, 0xd0c, "Neoverse-N1"},      {0x41, 0xd0d, "Cortex-A77"},
    {0x41, 0xd0e, "Cortex-A76AE"},  {0x41, 0xd40, "Neoverse-V1"},     {0x41, 0xd41, "Cortex-A78"},       {0x41, 0xd42, "Cortex-A78AE"},
    {0x41, 0xd43, "Cortex-A65AE"},  {0x41, 0xd44, "Cortex-X1"},       {0x41, 0xd46, "Cortex-A510"},      {0x41, 0xd47, "Cortex-A710"},
    {0x41, 0xd48, "Cortex-X2"},     {0x41, 0xd49, "Neoverse-N2"},     {0x41, 0xd4a, "Neoverse-E1"},      {0x41, 0xd4b, "Cortex-A78C"},
    {0x41, 0xd4c, "Cortex-X1C"},    {0x41, 0xd4d, "Cortex-A715"},     {0x41, 0xd4e, "Cortex-X3"},        {0x41, 0xd4f, "Neoverse-V2"},
    {0x41, 0xd80, "Cortex-A520"},   {0x41, 0xd81, "Cortex-A720"},     {0x41, 0xd82, "Cortex-X4"},        {0x41, 0xd83, "Neoverse-V3AE"},
    {0x41, 0xd84, "Neoverse-V3"},   {0x41, 0xd85, "Cortex-X925"},     {0x41, 0xd87, "Cortex-A725"},      {0x41, 0xd88, "Cortex-A520AE"},
    {0x41, 0xd89, "Cortex-A720AE"}, {0x41, 0xd8e, "Neoverse-N3"},     {0x43, 0x0a1, "ThunderX"},         {0x43, 0x0af, "ThunderX2"},
    {0x46, 0x001, "A64FX"},         {0x48, 0xd01, "TaiShan v110"},    {0x48, 0xd40, "Cortex-A76"},       {0x4e, 0x003, "Denver 2"},
    {0x4e, 0x004, "Carmel"},        {0x51, 0x001, "Oryon"},           {0x51, 0x800, "Kryo 2xx Gold"},    {0x51, 0x801, "Kryo 2xx Silver"},
    {0x51, 0x802, "Kryo 3xx Gold"}, {0x51, 0x803, "Kryo 3xx Silver"}, {0x51, 0x804, "Kryo 4xx Gold"},    {0x51, 0x805, "Kryo 4xx Silver"},
    {0x51, 0xc00, "Falkor"},        {0x51, 0xc01, "Saphira"},         {0x53, 0x001, "Exynos M1"},        {0x53, 0x002, "Exynos M3"},
    {0x53, 0x003, "Exynos M4"},     {0x53, 0x004, "Exynos M5"},       {0x6d, 0xd49, "Azure Cobalt 100"}, {0xc0, 0xac3, "AmpereOne"},
    {0xc0, 0xac4, "AmpereOne A"},
};

const char *tvmq_arm_core_name(uint32_t midr) {
  for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
    if (cores[i].implementer == midr >> 24 && cores[i].part == (midr >> 4 & 0xfff)) return cores[i].name;
  }
  return NULL;
}

// Appends a core unless it is there already. What does not fit is left out.
static void add_core(char *names, size_t size, uint32_t midr) {
  const char *known = tvmq_arm_core_name(midr);
  char core[32], before[256], between[256];
  if (known != NULL) {
    snprintf(core, sizeof core, "%s", known);
  } else {
    snprintf(core, sizeof core, "MIDR 0x%08x", midr);
  }
  // Whole names are compared, so that Cortex-A76 is added after Cortex-A76AE.
  snprintf(before, sizeof before, " + %.200s + ", names);
  snprintf(between, sizeof between, " + %s + ", core);
  if (strstr(before, between) != NULL) return;
  const size_t length = strlen(names), needed = strlen(core) + (length > 0 ? 3 : 0);
  if (length + needed < size) snprintf(names + length, size - length, "%s%s", length > 0 ? " + " : "", core);
}

static FILE *open_below(const char *root, const char *path) {
  char whole[512];
  const int length = snprintf(whole, sizeof whole, "%s%s", root, path);
  return length > 0 && (size_t)length < sizeof whole ? fopen(whole, "re") : NULL;
}

static void cores_of_sysfs(const char *root, char *names, size_t size) {
  for (unsigned cpu = 0;; cpu++) {
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", cpu);
    FILE *file = open_below(root, path);
    if (file == NULL) return;
    unsigned long long midr;
    if (fscanf(file, "%llx", &midr) == 1) add_core(names, size, (uint32_t)midr);
    fclose(file);
  }
}

static void cores_of_cpuinfo(const char *root, char *names, size_t size) {
  FILE *file = open_below(root, "/proc/cpuinfo");
  if (file == NULL) return;
  char line[256];
  unsigned implementer = 0, part;
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "CPU implementer : %x", &implementer) == 1) continue;
    if (sscanf(line, "CPU part : %x", &part) == 1) add_core(names, size, implementer << 24 | 0xfu << 16 | part << 4);
  }
  fclose(file);
}

void tvmq_arm_cores(const char *root, char *name, size_t size) {
  name[0] = '\0';
  cores_of_sysfs(root, name, size);
  if (name[0] == '\0') cores_of_cpuinfo(root, name, size);
}

#if defined(__aarch64__)
#include <sys/auxv.h>

uint32_t tvmq_cpu_arch_features(void) { return tvmq_arm_features(getauxval(AT_HWCAP), getauxval(AT_HWCAP2)); }

void tvmq_cpu_arch_name(char *name, size_t size) {
  tvmq_arm_cores("", name, size);
  // Without either file system the kernel may still let the register be read: that of the core that runs just now.
  if (name[0] == '\0' && (getauxval(AT_HWCAP) & HWCAP_CPUID) != 0) {
    uint64_t midr;
    __asm__("mrs %0, midr_el1" : "=r"(midr));
    add_core(name, size, (uint32_t)midr);
  }
}
#endif
