// Files in which Linux describes the processors, below a root that tests replace.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Opens `root` + `path` for reading. Returns NULL if that fails.
FILE *tvmq_cpu_open(const char *root, const char *path);

// Reads the number at the start of /sys/devices/system/cpu/cpu<cpu>/<file>, decimal or hexadecimal after 0x. Returns
// false if there is none.
bool tvmq_cpu_number(const char *root, unsigned cpu, const char *file, long long *number);
