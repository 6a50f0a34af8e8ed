// The machine's state during a measurement, as reported by the system.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Return the temperature of the hottest zone in degrees Celsius, and the frequency of this thread's processor in MHz.
// NAN: unknown.
double tvmq_system_temperature(void);
double tvmq_system_megahertz(void);

// Copies the name of that processor's frequency governor to `text`, or "" if unknown.
void tvmq_system_governor(char *text, size_t size);

// Returns the shortest time, in ns, of a reference task over the runs that fit into 20 ms. The task is the same on
// every machine and in every version. A longer time than usual means that the machine is throttled or busy.
uint64_t tvmq_reference_ns(void);
