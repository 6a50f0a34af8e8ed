#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu_arch.h"
#include "cpu/cpu_bits.h"
#include "cpu/machine.h"
#include "fake_root.h"
#include "unit.h"

#define MIDR_OF "/sys/devices/system/cpu/cpu"
static const struct {
  const char *name;
  struct {
    const char *path, *text;
  } files[5];
  const char *cores;
  unsigned usable;  // of the first two processors
  bool in_order;
  const char *machine;
} machines[] = {
    {"no information", {{0}}, "", 0, false, NULL},
    {"one kind",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000414fd0b1\n"}, {MIDR_OF "1/regs/identification/midr_el1", "0x00000000414fd0b1\n"}},
     "Cortex-A76",
     2,
     false,
     "neoverse-n1"},
    {"small ones",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000410fd034\n"}, {MIDR_OF "1/regs/identification/midr_el1", "0x00000000412fd050\n"}},
     "Cortex-A53 + Cortex-A55",
     2,
     true,
     NULL},
    {"a large one of two",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000412fd050\n"},
      {MIDR_OF "1/regs/identification/midr_el1", "0x00000000414fd0b1\n"},
      {MIDR_OF "2/regs/identification/midr_el1", "0x00000000412fd050\n"}},
     "Cortex-A55 + Cortex-A76",
     2,
     false,
     "neoverse-n1"},
    {"a large one out of reach",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000412fd050\n"},
      {MIDR_OF "1/regs/identification/midr_el1", "0x00000000412fd050\n"},
      {MIDR_OF "2/regs/identification/midr_el1", "0x00000000414fd0b1\n"}},
     "Cortex-A55 + Cortex-A76",
     2,
     true,
     "cortex-a55"},
    {"a name within a name",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000410fd0e0\n"}, {MIDR_OF "1/regs/identification/midr_el1", "0x00000000410fd0b0\n"}},
     "Cortex-A76AE + Cortex-A76",
     2,
     false,
     "neoverse-n1"},
    {"one offline between",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000412fd050\n"},
      {MIDR_OF "1/online", "0\n"},
      {MIDR_OF "2/regs/identification/midr_el1", "0x00000000414fd0b1\n"}},
     "Cortex-A55 + Cortex-A76",
     1,
     true,
     "cortex-a55"},
    {"unknown core", {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000990fabc1\n"}}, "MIDR 0x990fabc1", 1, false, NULL},
    {"unknown core after a small one",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000412fd050\n"}, {MIDR_OF "1/regs/identification/midr_el1", "0x00000000990fabc1\n"}},
     "Cortex-A55 + MIDR 0x990fabc1",
     2,
     false,
     NULL},
    {"an unknown small core, known by its capacity",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000990fabc1\n"}, {MIDR_OF "0/cpu_capacity", "320\n"}},
     "MIDR 0x990fabc1",
     1,
     true,
     NULL},
    {"an unknown small core beside an unknown large one",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000990fabc1\n"},
      {MIDR_OF "0/cpu_capacity", "320\n"},
      {MIDR_OF "1/regs/identification/midr_el1", "0x00000000990fabd1\n"},
      {MIDR_OF "1/cpu_capacity", "1024\n"}},
     "MIDR 0x990fabc1 + MIDR 0x990fabd1",
     2,
     false,
     NULL},
    {"an unknown middle core",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000990fabc1\n"}, {MIDR_OF "0/cpu_capacity", "760\n"}},
     "MIDR 0x990fabc1",
     1,
     false,
     NULL},
    {"a known core, whatever its capacity",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x00000000414fd0b1\n"},
      {MIDR_OF "0/cpu_capacity", "320\n"},
      {MIDR_OF "1/regs/identification/midr_el1", "0x00000000410fd8a0\n"},
      {MIDR_OF "1/cpu_capacity", "1024\n"}},
     "Cortex-A76 + C1-Nano",
     2,
     false,
     "neoverse-n1"},
    {"cpuinfo of an unknown small core",
     {{"/proc/cpuinfo", "processor : 0\nCPU implementer : 0x99\nCPU part : 0xabc\n"}, {MIDR_OF "0/cpu_capacity", "250\n"}},
     "MIDR 0x990fabc0",
     1,
     true,
     NULL},
    {"cpuinfo",
     {{"/proc/cpuinfo",
       "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd03\nCPU revision\t: 4\n\n"
       "processor\t: 1\nCPU implementer\t: 0x51\nCPU part\t: 0x804\n"}},
     "Cortex-A53 + Kryo 4xx Gold",
     2,
     false,
     "neoverse-n1"},
    {"cpuinfo, a large one out of reach",
     {{"/proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd03\nprocessor : 4\nCPU implementer : 0x41\nCPU part : 0xd08\n"}},
     "Cortex-A53 + Cortex-A72",
     1,
     true,
     "cortex-a53"},
    {"cpuinfo of another architecture", {{"/proc/cpuinfo", "processor\t: 0\nmodel name\t: something\n"}}, "", 0, false, NULL},
    {"sysfs first",
     {{MIDR_OF "0/regs/identification/midr_el1", "0x410fd083\n"}, {"/proc/cpuinfo", "CPU implementer : 0x41\nCPU part : 0xd03\n"}},
     "Cortex-A72",
     1,
     false,
     "cortex-a72"},
};

static bool first_two(unsigned cpu) { return cpu < 2; }

static void check_cores(void) {
  struct tvmq_arm_cores cores;
  for (size_t i = 0; i < N_ELEMENTS(machines); i++) {
    make_root();
    for (size_t j = 0; j < N_ELEMENTS(machines[i].files) && machines[i].files[j].path != NULL; j++) {
      write_file(machines[i].files[j].path, machines[i].files[j].text);
    }
    tvmq_arm_cores(root, first_two, &cores);
    CHECK_STRING(cores.name, machines[i].cores, machines[i].name);
    CHECK_STRING(cores.machine, machines[i].machine, machines[i].name);
    CHECK(cores.machine == NULL || tvmq_machine_named(cores.machine)->in_order == cores.in_order, "%s: in order", machines[i].name);
    CHECK(cores.usable == machines[i].usable && cores.in_order == machines[i].in_order, "%s: %u usable, in order: %d", machines[i].name, cores.usable,
          cores.in_order);
    remove_root();
  }
  make_root();
  for (unsigned cpu = 0; cpu < 12; cpu++) {
    char path[96], midr[16];
    snprintf(path, sizeof path, MIDR_OF "%u/regs/identification/midr_el1", cpu);
    snprintf(midr, sizeof midr, "0x99%02x0000", cpu);
    write_file(path, midr);
  }
  tvmq_arm_cores(root, first_two, &cores);
  CHECK(strncmp(cores.name, "MIDR 0x99000000 + MIDR 0x99010000 + ", 36) == 0 && cores.name[strlen(cores.name) - 3] == '0', "what fits: %s", cores.name);
  CHECK(strlen(cores.name) == 7 * 18 - 3, "whole names: %s", cores.name);
  remove_root();
}

static void check_arm_features(void) {
  enum { ASIMD = 1 << 1, FPHP = 1 << 9, DP = 1 << 20, I8MM = 1 << 13 };
  static const struct {
    uint64_t hwcap, hwcap2;
    uint32_t cpu;
  } cases[] = {
      {0, 0, 0},
      {ASIMD, 0, TVMQ_CPU_NEON},
      {ASIMD | FPHP | DP, 0, TVMQ_CPU_NEON | TVMQ_CPU_DOTPROD},
      {ASIMD | DP, I8MM, TVMQ_CPU_NEON | TVMQ_CPU_DOTPROD | TVMQ_CPU_I8MM},
      {ASIMD, I8MM, TVMQ_CPU_NEON | TVMQ_CPU_I8MM},  // sets are no chain
      {ASIMD | I8MM, DP, TVMQ_CPU_NEON},             // the same numbers in the other word mean other things
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    const uint32_t cpu = tvmq_arm_features(cases[i].hwcap, cases[i].hwcap2);
    CHECK(cpu == cases[i].cpu, "case %zu: got %#x", i, cpu);
  }
}

static void check_arm_unused(void) {
  const uint64_t sme = 1ull << 23, sme2 = 1ull << 37;
  CHECK_STRING(tvmq_arm_unused(0), "", "neither");
  CHECK_STRING(tvmq_arm_unused(sme), "sme", "SME");
  CHECK_STRING(tvmq_arm_unused(sme | sme2), "sme2", "SME2");
  CHECK_STRING(tvmq_arm_unused(~(sme | sme2)), "", "all others");
}

// Every core has a number of its own, a row that exists, and the order of that row.
static void check_known_cores(void) {
  for (size_t i = 0; i < tvmq_n_known_cores; i++) {
    const struct tvmq_known_core *core = &tvmq_known_cores[i];
    for (size_t j = 0; j < i; j++) {
      CHECK(core->implementer != tvmq_known_cores[j].implementer || core->part != tvmq_known_cores[j].part, "%s: listed twice", core->name);
    }
    if (core->machine[0] == '\0') continue;
    const struct tvmq_machine *machine = tvmq_machine_named(core->machine);
    CHECK(machine != NULL && machine->in_order == core->in_order, "%s: machine %s", core->name, core->machine);
    CHECK(core->ghz >= 0 && core->ghz < 6, "%s: %g GHz", core->name, core->ghz);
  }
}

int main(void) {
  check_cores();
  check_arm_features();
  check_arm_unused();
  check_known_cores();
  return unit_report();
}
