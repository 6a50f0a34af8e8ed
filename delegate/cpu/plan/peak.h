// Measures this machine's peak throughput, the yardstick for operators.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpu/threads/threads.h"
#include "tvmq_delegate.h"

// Runs every int8 gemm kernel for these CPU features, then reads memory, on all threads of the pool (NULL: the caller's
// thread). Returns false if out of memory.
bool tvmq_peak_measure(uint32_t cpu, struct tvmq_threads *threads, struct tvmq_peak_info *peak);
