#pragma once
#include <stddef.h>
typedef struct {
  unsigned long words[16];
} cpu_set_t;
int sched_yield(void);
int sched_getaffinity(int process, size_t size, cpu_set_t *set);
int sched_setaffinity(int process, size_t size, const cpu_set_t *set);
