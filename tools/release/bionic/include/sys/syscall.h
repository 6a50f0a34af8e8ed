#pragma once
#if defined(__aarch64__)
#define SYS_futex 98
#elif defined(__x86_64__)
#define SYS_futex 202
#define SYS_arch_prctl 158
#endif
