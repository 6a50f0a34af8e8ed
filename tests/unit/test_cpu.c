#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/affinity.h"
#include "cpu/cpu.h"
#include "cpu/cpu_arch.h"
#include "cpu/cpu_bits.h"
#include "cpu/machine.h"
#include "fake_root.h"
#include "unit.h"

// ---- CPU quota

static const struct {
  const char *name;
  struct {
    const char *path, *text;
  } files[6];
  int quota;
} quotas[] = {
    {"nothing mounted", {{0}}, 0},
    {"v2 without a limit", {{"/proc/self/cgroup", "0::/user.slice\n"}, {"/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"}}, 0},
    {"v2, two processors", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "200000 100000\n"}}, 2000},
    {"v2, rounded up", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "200001 100000\n"}}, 2001},
    {"v2, a part of one", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "1000 100000\n"}}, 10},
    {"v2, parent is stricter",
     {{"/proc/self/cgroup", "0::/a/b/c\n"}, {"/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n"}, {"/sys/fs/cgroup/a/cpu.max", "300000 100000\n"}},
     3000},
    {"v2, child is stricter",
     {{"/proc/self/cgroup", "0::/a/b\n"}, {"/sys/fs/cgroup/a/b/cpu.max", "100000 50000\n"}, {"/sys/fs/cgroup/a/cpu.max", "300000 100000\n"}},
     2000},
    {"v2, path of the host: the mount point counts", {{"/proc/self/cgroup", "0::/docker/0123\n"}, {"/sys/fs/cgroup/cpu.max", "400000 100000\n"}}, 4000},
    {"v2, root", {{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "150000 100000\n"}}, 1500},
    {"v2, not another's", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/ab/cpu.max", "100000 100000\n"}}, 0},
    {"v2, malformed", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "a lot\n"}}, 0},
    {"v2, period of 0", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "100000 0\n"}}, 0},
    {"v2, very large", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "9223372036854775807 1\n"}}, INT32_MAX},
    {"v1",
     {{"/proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/a\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}},
     2500},
    {"v1 by the link",
     {{"/proc/self/cgroup", "4:cpuacct,cpu:/a\n"}, {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "50000\n"}, {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "10000\n"}},
     5000},
    {"v1 without a limit",
     {{"/proc/self/cgroup", "4:cpu:/\n"}, {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"}, {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
     0},
    {"v1, the mount point has the limit",
     {{"/proc/self/cgroup", "4:cpu:/\n"}, {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"}, {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
     2000},
    {"v1, parent has the limit",
     {{"/proc/self/cgroup", "4:cpu:/a/b\n"},
      {"/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}},
     1000},
    {"v1, cpuset and cpuacct are not cpu",
     {{"/proc/self/cgroup", "4:cpuset,cpuacct:/a\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}},
     0},
    {"v2 beside v1",
     {{"/proc/self/cgroup", "1:cpu:/a\n0::/b\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "700000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/unified/b/cpu.max", "600000 100000\n"}},
     6000},
    {"malformed list", {{"/proc/self/cgroup", "nonsense\n\n4:cpu\n"}, {"/sys/fs/cgroup/cpu.max", "100000 100000\n"}}, 0},
};

static void check_quotas(void) {
  for (size_t i = 0; i < N_ELEMENTS(quotas); i++) {
    make_root();
    for (size_t j = 0; j < N_ELEMENTS(quotas[i].files) && quotas[i].files[j].path != NULL; j++) write_file(quotas[i].files[j].path, quotas[i].files[j].text);
    const int quota = tvmq_cpu_quota(root);
    CHECK(quota == quotas[i].quota, "%s: got %d, want %d", quotas[i].name, quota, quotas[i].quota);
    remove_root();
  }
}

static void check_count(void) {
  CHECK(tvmq_cpu_count() >= 1, "%d", tvmq_cpu_count());
  CHECK(tvmq_cpu_count() <= sysconf(_SC_NPROCESSORS_CONF), "%d", tvmq_cpu_count());
  cpu_set_t before, one;
  if (!CHECK(sched_getaffinity(0, sizeof before, &before) == 0, "affinity")) return;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  if (CHECK(sched_setaffinity(0, sizeof one, &one) == 0, "affinity")) CHECK(tvmq_cpu_count() == 1, "%d", tvmq_cpu_count());
  sched_setaffinity(0, sizeof before, &before);
}

// ---- num_threads=auto

#define CAPACITY(cpu) "/sys/devices/system/cpu/cpu" #cpu "/cpu_capacity"
#define PERFORMANCE(cpu) "/sys/devices/system/cpu/cpu" #cpu "/acpi_cppc/highest_perf"
#define FREQUENCY(cpu) "/sys/devices/system/cpu/cpu" #cpu "/cpufreq/cpuinfo_max_freq"
#define SIBLINGS(cpu) "/sys/devices/system/cpu/cpu" #cpu "/topology/thread_siblings_list"
static const struct {
  const char *name;
  struct {
    const char *path, *text;
  } files[8];
  uint32_t usable;
  int count;
} autos[] = {
    {"nothing known", {{0}}, 0xf, 4},
    {"one processor", {{0}}, 0x8, 1},
    {"all alike", {{CAPACITY(0), "1024\n"}, {CAPACITY(1), "1024\n"}}, 0x3, 2},
    {"a slow cluster", {{CAPACITY(0), "446\n"}, {CAPACITY(1), "446\n"}, {CAPACITY(2), "1024\n"}, {CAPACITY(3), "1024\n"}}, 0xf, 2},
    {"a slow cluster alone", {{CAPACITY(0), "446\n"}, {CAPACITY(1), "446\n"}, {CAPACITY(2), "1024\n"}, {CAPACITY(3), "1024\n"}}, 0x3, 2},
    {"three clusters", {{CAPACITY(0), "280\n"}, {CAPACITY(1), "800\n"}, {CAPACITY(2), "800\n"}, {CAPACITY(3), "1024\n"}}, 0xf, 3},
    {"at the limit", {{CAPACITY(0), "640\n"}, {CAPACITY(1), "641\n"}, {CAPACITY(2), "1024\n"}}, 0x7, 2},
    {"malformed", {{CAPACITY(0), "fast\n"}, {CAPACITY(1), "-1\n"}, {SIBLINGS(0), "all\n"}, {SIBLINGS(1), "-1\n"}, {SIBLINGS(2), "99999999\n"}}, 0x7, 3},
    {"two processors a core", {{SIBLINGS(0), "0,2\n"}, {SIBLINGS(1), "1,3\n"}, {SIBLINGS(2), "0,2\n"}, {SIBLINGS(3), "1,3\n"}}, 0xf, 2},
    {"two processors a core, in ranges", {{SIBLINGS(0), "0-1\n"}, {SIBLINGS(1), "0-1\n"}, {SIBLINGS(2), "2-3\n"}, {SIBLINGS(3), "2-3\n"}}, 0xf, 2},
    {"two kinds of cores, two processors a fast one",
     {{"/sys/devices/cpu_atom/cpus", "4-7\n"}, {SIBLINGS(0), "0-1\n"}, {SIBLINGS(1), "0-1\n"}, {SIBLINGS(2), "2-3\n"}, {SIBLINGS(3), "2-3\n"}},
     0xff,
     2},
    {"two kinds of cores, in pieces", {{"/sys/devices/cpu_atom/cpus", "1,3-4,6\n"}}, 0xff, 4},
    {"two kinds of cores of similar capacity", {{"/sys/devices/cpu_atom/cpus", "1\n"}, {CAPACITY(0), "1024\n"}, {CAPACITY(1), "768\n"}}, 0x3, 1},
    {"efficient cores alone", {{"/sys/devices/cpu_atom/cpus", "4-7\n"}}, 0xf0, 4},
    {"a malformed list of efficient cores", {{"/sys/devices/cpu_atom/cpus", "all\n"}}, 0xf, 4},
    {"an empty list of efficient cores", {{"/sys/devices/cpu_atom/cpus", "\n"}}, 0xf, 4},
    {"frequencies", {{FREQUENCY(0), "1400000\n"}, {FREQUENCY(1), "2400000\n"}, {FREQUENCY(2), "2400000\n"}}, 0x7, 2},
    {"performance before frequencies", {{PERFORMANCE(0), "100\n"}, {PERFORMANCE(1), "166\n"}, {FREQUENCY(0), "5\n"}, {FREQUENCY(1), "5\n"}}, 0x3, 1},
    {"capacity before performance", {{CAPACITY(0), "1024\n"}, {CAPACITY(1), "1024\n"}, {PERFORMANCE(0), "1\n"}, {PERFORMANCE(1), "9\n"}}, 0x3, 2},
    {"capacity of some", {{CAPACITY(0), "1024\n"}, {FREQUENCY(0), "1000\n"}, {FREQUENCY(1), "1800\n"}}, 0x3, 1},
    {"a single core", {{SIBLINGS(0), "0-1\n"}, {SIBLINGS(1), "0-1\n"}}, 0x3, 2},
    {"a quota", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "200000 100000\n"}}, 0xf, 2},
    {"a quota and a half", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "150000 100000\n"}}, 0xf, 1},
    {"half a quota", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "50000 100000\n"}}, 0xf, 1},
    {"a large quota", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "800000 100000\n"}}, 0xf, 4},
    {"no limit", {{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "max 100000\n"}}, 0xf, 4},
};

static void check_auto(void) {
  for (size_t i = 0; i < N_ELEMENTS(autos); i++) {
    make_root();
    for (size_t j = 0; j < N_ELEMENTS(autos[i].files) && autos[i].files[j].path != NULL; j++) write_file(autos[i].files[j].path, autos[i].files[j].text);
    const int count = tvmq_cpu_auto_count_of(root, &(struct tvmq_cpus){.words = {autos[i].usable}, .some = true});
    CHECK(count == autos[i].count, "%s: got %d, want %d", autos[i].name, count, autos[i].count);
    remove_root();
  }
  CHECK(tvmq_cpu_auto_count() >= 1 && tvmq_cpu_auto_count() <= tvmq_cpu_count(), "%d", tvmq_cpu_auto_count());
}

// ---- names and features

static void check_may_use(void) {
  cpu_set_t before, one;
  if (!CHECK(sched_getaffinity(0, sizeof before, &before) == 0, "affinity")) return;
  CPU_ZERO(&one);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    CHECK(tvmq_cpu_may_use(cpu) == (CPU_ISSET(cpu, &before) != 0), "processor %u", cpu);
    if (CPU_ISSET(cpu, &before) && CPU_COUNT(&one) == 0) CPU_SET(cpu, &one);
  }
  if (CHECK(sched_setaffinity(0, sizeof one, &one) == 0, "affinity")) {
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) CHECK(tvmq_cpu_may_use(cpu) == (CPU_ISSET(cpu, &one) != 0), "processor %u of one", cpu);
  }
  sched_setaffinity(0, sizeof before, &before);
  CHECK(!tvmq_cpu_may_use(1u << 30), "more than there can be");
}

static void check_x86_features(void) {
  const uint32_t fma_avx = 1u << 12 | 1u << 28, avx2_bmi = 1u << 5 | 1u << 3 | 1u << 8, avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
  const uint32_t vnni512 = 1u << 11, vbmi = 1u << 1, vnni = 1u << 4;
  const uint32_t amx = 1u << 24 | 1u << 25;
  const uint64_t ymm = 0x7, zmm = 0xe7, tiles = 0x600e7;
  const struct {
    struct tvmq_cpuid cpuid;
    uint32_t cpu;
  } cases[] = {
      {{0}, 0},
      {{fma_avx, avx2_bmi, 0, 0, ymm, 0}, TVMQ_CPU_AVX2},
      {{fma_avx, avx2_bmi, 0, 0, 0, 0}, 0},                    // the system does not save YMM
      {{fma_avx, avx2_bmi, 0, 0, 0x3, 0}, 0},                  // SSE only
      {{1u << 28, avx2_bmi, 0, 0, ymm, 0}, 0},                 // without FMA
      {{fma_avx, 1u << 5, 0, 0, ymm, 0}, 0},                   // without BMI
      {{fma_avx, avx2_bmi & ~(1u << 5), 0, vnni, ymm, 0}, 0},  // AVX only
      {{fma_avx, avx2_bmi, 0, vnni, ymm, 0}, TVMQ_CPU_AVX2 | TVMQ_CPU_AVXVNNI},
      {{fma_avx, avx2_bmi | avx512, vnni512, 0, zmm, 0}, TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI},
      {{fma_avx, avx2_bmi | avx512, vnni512, 0, ymm, 0}, TVMQ_CPU_AVX2},                  // the system does not save ZMM
      {{fma_avx, avx2_bmi | avx512, vnni512, 0, zmm & ~0x20ull, 0}, TVMQ_CPU_AVX2},       // nor the opmasks
      {{fma_avx, avx2_bmi | avx512, 0, 0, zmm, 0}, TVMQ_CPU_AVX2},                        // AVX-512 without VNNI
      {{fma_avx, avx2_bmi | (avx512 & ~(1u << 31)), vnni512, 0, zmm, 0}, TVMQ_CPU_AVX2},  // without VL
      {{fma_avx, avx2_bmi | avx512, vnni512, vnni, zmm, 0}, TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI | TVMQ_CPU_AVXVNNI},
      {{fma_avx, avx2_bmi | avx512, vnni512 | vbmi, 0, zmm, 0}, TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI | TVMQ_CPU_AVX512VBMI},
      {{fma_avx, avx2_bmi | avx512, vbmi, 0, zmm, 0}, TVMQ_CPU_AVX2},            // without VNNI
      {{fma_avx, avx2_bmi | avx512, vnni512 | vbmi, 0, ymm, 0}, TVMQ_CPU_AVX2},  // the system does not save ZMM
      {{fma_avx, avx2_bmi | avx512, vnni512, 0, tiles, amx}, TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI | TVMQ_CPU_AMX},
      {{fma_avx, avx2_bmi | avx512, vnni512, 0, zmm, amx}, TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI},         // the system does not save tiles
      {{fma_avx, avx2_bmi | avx512, vnni512, 0, tiles, 1u << 24}, TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI},  // tiles without int8 products
      {{fma_avx, avx2_bmi, 0, 0, tiles, amx}, TVMQ_CPU_AVX2},                                            // without AVX-512, which the kernels need besides
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    const uint32_t cpu = tvmq_x86_features(&cases[i].cpuid);
    CHECK(cpu == cases[i].cpu, "case %zu: got %#x", i, cpu);
  }
}

static void check_isas(void) {
  static const char *const names[] = {"c", "neon", "dotprod", "i8mm", "avx2", "avxvnni", "avx512vnni", "avx512vbmi", "amx"};
  CHECK(tvmq_n_isas == N_ELEMENTS(names), "%zu", tvmq_n_isas);
  for (size_t i = 0; i < N_ELEMENTS(names); i++) CHECK(strcmp(tvmq_isas[i].name, names[i]) == 0, "%s", names[i]);
  CHECK(tvmq_isas[0].cpu == 0, "c needs nothing");
}

static void check_here(void) {
  const uint32_t cpu = tvmq_cpu_detect();
#if defined(__aarch64__)
  CHECK((cpu & TVMQ_CPU_NEON) != 0, "%#x", cpu);
  CHECK((cpu & (TVMQ_CPU_AVX2 | TVMQ_CPU_AVXVNNI | TVMQ_CPU_AVX512VNNI | TVMQ_CPU_AVX512VBMI | TVMQ_CPU_AMX)) == 0, "%#x", cpu);
#elif defined(__x86_64__)
  __builtin_cpu_init();  // the compiler's own detection agrees
  CHECK(((cpu & TVMQ_CPU_AVX2) != 0) == (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")), "%#x", cpu);
  CHECK(
      ((cpu & TVMQ_CPU_AVX512VNNI) != 0) == (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")),
      "%#x", cpu);
  CHECK(((cpu & TVMQ_CPU_AVX512VBMI) != 0) == ((cpu & TVMQ_CPU_AVX512VNNI) != 0 && __builtin_cpu_supports("avx512vbmi")), "%#x", cpu);
#endif
  for (size_t i = 0; i < tvmq_n_isas; i++) {
    CHECK(tvmq_isa_offered(&tvmq_isas[i]) == ((tvmq_isas[i].cpu & ~cpu) == 0), "%s", tvmq_isas[i].name);
  }
  CHECK(tvmq_cpu_detect() == cpu, "detected once");
  CHECK(tvmq_cpu_name()[0] != '\0', "a name or \"unknown\"");
  CHECK(tvmq_cpu_name() == tvmq_cpu_name(), "static storage");
  CHECK(tvmq_cpu_identity()[0] != '\0' && tvmq_cpu_identity() == tvmq_cpu_identity(), "an identity, in static storage");
  printf("%s%s, features %#x, %d processors\n", tvmq_cpu_name(), tvmq_cpu_in_order() ? " (in order)" : "", cpu, tvmq_cpu_count());
}

// Every machine has a name of its own and all numbers, and every row that detection may name exists.
static void check_machines(void) {
  for (const struct tvmq_machine *m = tvmq_machines; m < tvmq_machines + tvmq_n_machines; m++) {
    CHECK(tvmq_machine_named(m->name) == m, "two machines are called %s", m->name);
#define TVMQ_MACHINE_COST(field, unit, help) CHECK(m->field > 0 && m->field <= TVMQ_MOST_COST, "%s: " #field " is %g", m->name, (double)m->field);
#define TVMQ_MACHINE_SIZE(field, most, unit, help) CHECK(m->field > 0 && m->field <= (most), "%s: " #field " is %zu", m->name, m->field);
#include "cpu/machine_fields.def"
  }
  static const struct {
    const char *vendor;
    uint32_t leaf1_eax, more;
    const char *machine, *what, *model;
  } x86[] = {
      {"AuthenticAMD", 0x00b00f21, TVMQ_CPU_AVXVNNI | TVMQ_CPU_AVX512VBMI, "zen5", "Turin", "AuthenticAMD 26-2"},
      {"AuthenticAMD", 0x00a10f11, TVMQ_CPU_AVX512VBMI, "zen4", "Genoa", "AuthenticAMD 25-17"},
      {"AuthenticAMD", 0x00a60f12, TVMQ_CPU_AVX512VBMI, "zen4", "Raphael", "AuthenticAMD 25-97"},
      {"AuthenticAMD", 0x00aa0f02, TVMQ_CPU_AVX512VBMI, "zen4", "Bergamo", "AuthenticAMD 25-160"},
      {"AuthenticAMD", 0x00a20f10, 0, NULL, "Vermeer, which is Zen 3", "AuthenticAMD 25-33"},
      {"AuthenticAMD", 0x00ab0f00, 0, NULL, "a model beyond Zen 4's", "AuthenticAMD 25-176"},
      {"AuthenticAMD", 0x00000f90, 0, NULL, "a family without more", "AuthenticAMD 15-9"},
      {"GenuineIntel", 0x00050657, 0, "cascade-lake", "Cascade Lake", "GenuineIntel 6-85"},
      {"GenuineIntel", 0x000806f8, TVMQ_CPU_AVXVNNI | TVMQ_CPU_AMX, NULL, "Sapphire Rapids", "GenuineIntel 6-143"},
  };
  const uint32_t avx512 = TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI;
  for (size_t i = 0; i < sizeof x86 / sizeof x86[0]; i++) {
    CHECK_STRING(tvmq_x86_machine(x86[i].vendor, x86[i].leaf1_eax, avx512 | x86[i].more), x86[i].machine, x86[i].what);
    CHECK_STRING(tvmq_x86_machine(x86[i].vendor, x86[i].leaf1_eax, TVMQ_CPU_AVX2), NULL, "without AVX-512");
    CHECK(x86[i].machine == NULL || tvmq_machine_named(x86[i].machine) != NULL, "%s has no row", x86[i].what);
    char model[32] = "";
    tvmq_x86_say_model(x86[i].vendor, x86[i].leaf1_eax, &(struct tvmq_text){.at = model, .size = sizeof model});
    CHECK_STRING(model, x86[i].model, x86[i].what);
  }
  CHECK(tvmq_machine_named("zen5") != NULL && tvmq_machine_named("cascade-lake") != NULL && tvmq_machine_named("pdp-11") == NULL, "names");
  CHECK(!tvmq_machine_for(false)->in_order && tvmq_machine_for(true)->in_order, "orders");
  CHECK(tvmq_cpu_machine() == NULL || tvmq_machine_named(tvmq_cpu_machine()) != NULL, "this CPU");
}

int main(void) {
  check_machines();
  check_quotas();
  check_count();
  check_auto();
  check_may_use();
  check_x86_features();
  check_isas();
  check_here();
  return unit_report();
}
