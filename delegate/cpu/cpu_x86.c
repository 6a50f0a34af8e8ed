#include <stdbool.h>
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/cpu_arch.h"
#include "cpu/cpu_bits.h"

// A feature is usable if CPUID reports it and XCR0 says that the operating system saves its registers. AMX tiles also
// need the operating system's permission.
enum { LEAF1_ECX_FMA = 1 << 12, LEAF1_ECX_AVX = 1 << 28 };
enum { LEAF7_EBX_BMI1 = 1 << 3, LEAF7_EBX_AVX2 = 1 << 5, LEAF7_EBX_BMI2 = 1 << 8 };
#define LEAF7_EBX_AVX512 (1u << 16 | 1u << 17 | 1u << 30 | 1u << 31)  // F, DQ, BW, VL
enum { LEAF7_ECX_AVX512VBMI = 1 << 1, LEAF7_ECX_AVX512VNNI = 1 << 11, LEAF7_1_EAX_AVXVNNI = 1 << 4 };
enum { XCR0_YMM = 1 << 1 | 1 << 2, XCR0_ZMM = XCR0_YMM | 1 << 5 | 1 << 6 | 1 << 7 };  // SSE, AVX; opmask, upper halves, upper registers

enum { LEAF7_EDX_AMX = 1 << 24 | 1 << 25 };  // TILE, INT8
enum { XCR0_TILE_DATA_BIT = 18, XCR0_TILES = 1 << 17 | 1 << XCR0_TILE_DATA_BIT };

static bool has(uint64_t bits, uint64_t wanted) { return (bits & wanted) == wanted; }

uint32_t tvmq_x86_features(const struct tvmq_cpuid *cpuid) {
  if (!has(cpuid->xcr0, XCR0_YMM) || !has(cpuid->leaf1_ecx, LEAF1_ECX_AVX | LEAF1_ECX_FMA) ||
      !has(cpuid->leaf7_ebx, LEAF7_EBX_AVX2 | LEAF7_EBX_BMI1 | LEAF7_EBX_BMI2)) {
    return 0;
  }
  uint32_t cpu = TVMQ_CPU_AVX2;
  if (has(cpuid->leaf7_1_eax, LEAF7_1_EAX_AVXVNNI)) cpu |= TVMQ_CPU_AVXVNNI;
  if (has(cpuid->xcr0, XCR0_ZMM) && has(cpuid->leaf7_ebx, LEAF7_EBX_AVX512) && has(cpuid->leaf7_ecx, LEAF7_ECX_AVX512VNNI)) cpu |= TVMQ_CPU_AVX512VNNI;
  if ((cpu & TVMQ_CPU_AVX512VNNI) != 0 && has(cpuid->leaf7_ecx, LEAF7_ECX_AVX512VBMI)) cpu |= TVMQ_CPU_AVX512VBMI;
  if ((cpu & TVMQ_CPU_AVX512VNNI) != 0 && has(cpuid->xcr0, XCR0_TILES) && has(cpuid->leaf7_edx, LEAF7_EDX_AMX)) cpu |= TVMQ_CPU_AMX;
  return cpu;
}

static uint32_t family_of(uint32_t leaf1_eax) {
  const uint32_t family = leaf1_eax >> 8 & 0xf;
  return family == 0xf ? family + (leaf1_eax >> 20 & 0xff) : family;
}

static uint32_t model_of(uint32_t leaf1_eax) { return (leaf1_eax >> 12 & 0xf0) | (leaf1_eax >> 4 & 0xf); }

void tvmq_x86_say_model(const char *vendor, uint32_t leaf1_eax, struct tvmq_text *text) {
  tvmq_say(text, "%s %u-%u", vendor, (unsigned)family_of(leaf1_eax), (unsigned)model_of(leaf1_eax));
}

const char *tvmq_x86_machine(const char *vendor, uint32_t leaf1_eax, uint32_t features) {
  enum { ZEN3_AND_4 = 0x19, ZEN5 = 0x1a };
  if (!has(features, TVMQ_CPU_AVX512VNNI)) return NULL;
  if (strcmp(vendor, "AuthenticAMD") == 0) {
    const uint32_t family = family_of(leaf1_eax), model = model_of(leaf1_eax);
    if (family == ZEN5) return "zen5";
    return family == ZEN3_AND_4 && ((model >= 0x10 && model <= 0x1f) || (model >= 0x60 && model <= 0xaf)) ? "zen4" : NULL;
  }
  return strcmp(vendor, "GenuineIntel") == 0 && !has(features, TVMQ_CPU_AMX) && !has(features, TVMQ_CPU_AVXVNNI) ? "cascade-lake" : NULL;
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

// Requests permission to use tiles. Linux refuses if a signal stack is too small for them.
static bool may_use_tiles(void) {
#if defined(SYS_arch_prctl)
  enum { REQUEST_PERMISSION = 0x1023 };
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, XCR0_TILE_DATA_BIT) == 0;
#else
  return false;
#endif
}

static uint64_t read_xcr0(void) {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

uint32_t tvmq_cpu_arch_features(void) {
  struct tvmq_cpuid cpuid = {0};
  uint32_t eax, ebx, ecx, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
    cpuid.leaf1_ecx = ecx;
    if ((ecx & bit_OSXSAVE) != 0) cpuid.xcr0 = read_xcr0();
  }
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    cpuid.leaf7_ebx = ebx;
    cpuid.leaf7_ecx = ecx;
    cpuid.leaf7_edx = edx;
    // Leaf 7.0 returns the number of subleaves; a subleaf beyond that would return the bits of another leaf.
    if (eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) cpuid.leaf7_1_eax = eax;
  }
  if (has(cpuid.xcr0, XCR0_TILES) && has(cpuid.leaf7_edx, LEAF7_EDX_AMX) && !may_use_tiles()) cpuid.xcr0 &= ~(uint64_t)XCR0_TILES;
  return tvmq_x86_features(&cpuid);
}

// Reads the vendor and EAX of leaf 1. Returns false if CPUID does not provide them.
static bool read_model(char vendor[13], uint32_t *leaf1_eax) {
  uint32_t eax, ebx, ecx, edx;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return false;
  const uint32_t letters[3] = {ebx, edx, ecx};
  memcpy(vendor, letters, sizeof letters);
  vendor[sizeof letters] = '\0';
  return __get_cpuid(1, leaf1_eax, &ebx, &ecx, &edx) != 0;
}

void tvmq_cpu_arch_model(struct tvmq_text *text) {
  char vendor[13];
  uint32_t leaf1_eax;
  if (read_model(vendor, &leaf1_eax)) tvmq_x86_say_model(vendor, leaf1_eax, text);
}

static const char *machine;

static void detect_machine(void) {
  char vendor[13];
  uint32_t leaf1_eax;
  if (read_model(vendor, &leaf1_eax)) machine = tvmq_x86_machine(vendor, leaf1_eax, tvmq_cpu_detect());
}

// Detected once, because on a virtual machine each CPUID instruction traps to the host.
const char *tvmq_cpu_machine(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, detect_machine);
  return machine;
}

const char *tvmq_cpu_unused(void) { return ""; }

// The in-order Atoms do not have AVX2, and the kernels that they can run have the same costs either way.
bool tvmq_cpu_in_order(void) { return false; }

void tvmq_cpu_arch_name(char *name, size_t size) {
  name[0] = '\0';
  uint32_t brand[3][4];
  for (uint32_t i = 0; i < 3; i++) {
    if (__get_cpuid(0x80000002 + i, &brand[i][0], &brand[i][1], &brand[i][2], &brand[i][3]) == 0) return;
  }
  char text[sizeof brand + 1] = {0};
  memcpy(text, brand, sizeof brand);
  // Some vendors pad the name with blanks on either side.
  const char *first = text + strspn(text, " ");
  size_t length = strlen(first);
  while (length > 0 && first[length - 1] == ' ') length--;
  snprintf(name, size, "%.*s", (int)length, first);
}
#endif
