// The machine's state while it measures, as far as the system tells.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Degrees Celsius of the hottest zone, and megahertz of the processor that this thread runs on; NAN where the system does not tell.
double tvmq_system_temperature(void);
double tvmq_system_megahertz(void);

// The governor of that processor's frequency; "" where the system does not tell.
void tvmq_system_governor(char *text, size_t size);

// The least time of a task that is the same on every machine and in every version, of the runs that 20 ms have room for: a machine that is throttled, or busy
// with something else, takes longer for it than it once did.
uint64_t tvmq_reference_ns(void);
