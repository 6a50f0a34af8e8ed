// How fast this machine can be at best: the yardstick for what operators reach.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpu/threads/threads.h"
#include "tvmq_delegate.h"

// Runs every int8 gemm kernel of these CPU features, and reads memory, on all threads of the pool (NULL: on the caller's). False: out of memory.
bool tvmq_peak_measure(uint32_t cpu, struct tvmq_threads *threads, struct tvmq_peak_info *peak);
