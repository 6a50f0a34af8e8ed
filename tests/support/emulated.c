// In place of tvmq_cpu_detect(), by --wrap: a processor with AVX-512 VNNI seems to have AMX and AVX-VNNI, whose kernels are compiled for it (tiles.h, vex.h).
#include "cpu/cpu.h"

uint32_t __real_tvmq_cpu_detect(void);
uint32_t __wrap_tvmq_cpu_detect(void);

uint32_t __wrap_tvmq_cpu_detect(void) {
  const uint32_t cpu = __real_tvmq_cpu_detect(), all = TVMQ_CPU_AVX512VNNI | TVMQ_CPU_AVX512VBMI;
  return (cpu & all) == all ? cpu | TVMQ_CPU_AVXVNNI | TVMQ_CPU_AMX : cpu;
}
