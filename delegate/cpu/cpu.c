#define _GNU_SOURCE
#include "cpu/cpu.h"

#include <pthread.h>
#include <string.h>

#include "cpu/cpu_arch.h"

const struct tvmq_isa tvmq_isas[] = {
    {"c", 0},
    {"neon", TVMQ_CPU_NEON},
    {"dotprod", TVMQ_CPU_NEON | TVMQ_CPU_DOTPROD},
    {"i8mm", TVMQ_CPU_NEON | TVMQ_CPU_DOTPROD | TVMQ_CPU_I8MM},
    {"avx2", TVMQ_CPU_AVX2},
    {"avxvnni", TVMQ_CPU_AVX2 | TVMQ_CPU_AVXVNNI},
    {"avx512vnni", TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI},
    {"avx512vbmi", TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI | TVMQ_CPU_AVX512VBMI},
    {"amx", TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI | TVMQ_CPU_AVX512VBMI | TVMQ_CPU_AMX},
};
const size_t tvmq_n_isas = sizeof tvmq_isas / sizeof tvmq_isas[0];

static uint32_t features;
static char name[128], identity[128];
static void detect(void) {
  features = tvmq_cpu_arch_features();
  tvmq_cpu_arch_name(name, sizeof name);
  if (name[0] == '\0') strcpy(name, "unknown");
  struct tvmq_text text = {.at = identity, .size = sizeof identity};
  tvmq_cpu_arch_model(&text);
  if (text.length > 0) tvmq_say(&text, " ");
  tvmq_cpu_say_features(features, &text);
}
static void detect_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, detect);
}

uint32_t tvmq_cpu_detect(void) {
  detect_once();
  return features;
}

const char *tvmq_cpu_name(void) {
  detect_once();
  return name;
}

const char *tvmq_cpu_identity(void) {
  detect_once();
  return identity;
}

void tvmq_cpu_say_features(uint32_t cpu, struct tvmq_text *text) {
  const char *lead = "";
  for (size_t i = 0; i < tvmq_n_isas; i++) {
    if (tvmq_isas[i].cpu == 0 || (tvmq_isas[i].cpu & ~cpu) != 0) continue;
    tvmq_say(text, "%s%s", lead, tvmq_isas[i].name);
    lead = "+";
  }
  if (lead[0] == '\0') tvmq_say(text, "c");
}

bool tvmq_isa_offered(const struct tvmq_isa *isa) { return (isa->cpu & ~tvmq_cpu_detect()) == 0; }
