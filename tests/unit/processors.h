// More processors than there are, for pools of threads: a test that includes this is linked with --wrap=tvmq_cpu_count.
#pragma once

#include <stdatomic.h>

static atomic_int unit_n_processors;

// The delegate believes in `n` processors from now on; 0: in those that there are.
static inline void unit_processors(int n) { atomic_store(&unit_n_processors, n); }

int __real_tvmq_cpu_count(void);
int __wrap_tvmq_cpu_count(void);
int __wrap_tvmq_cpu_count(void) { return atomic_load(&unit_n_processors) > 0 ? atomic_load(&unit_n_processors) : __real_tvmq_cpu_count(); }
