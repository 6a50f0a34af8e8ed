#define _GNU_SOURCE  // sched_getcpu
#include "measure/system.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { MOST_ZONES = 64, REFERENCE_STEPS = 100000, REFERENCE_NS = 20000000 };

// Reads the first line of a small file, or "" if there is none.
static void read_line(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "re");
  text[0] = '\0';
  if (file == NULL) return;
  if (fgets(text, (int)size, file) == NULL) text[0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  fclose(file);
}

static double read_thousandths(const char *path) {
  char text[32], *end;
  read_line(path, text, sizeof text);
  const long value = strtol(text, &end, 10);
  return end != text && *end == '\0' ? (double)value / 1000 : NAN;
}

double tvmq_system_temperature(void) {
  double hottest = NAN;
  for (int i = 0; i < MOST_ZONES; i++) {
    char path[64];
    snprintf(path, sizeof path, "/sys/class/thermal/thermal_zone%d/temp", i);
    hottest = fmax(hottest, read_thousandths(path));  // fmax ignores NAN
  }
  return hottest;
}

static void processor_path(const char *name, char *path, size_t size) {
  const int processor = sched_getcpu();
  snprintf(path, size, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", processor > 0 ? processor : 0, name);
}

double tvmq_system_megahertz(void) {
  char path[96];
  processor_path("scaling_cur_freq", path, sizeof path);
  return read_thousandths(path);
}

void tvmq_system_governor(char *text, size_t size) {
  char path[96];
  processor_path("scaling_governor", path, sizeof path);
  read_line(path, text, size);
}

// Computes a chain of dependent products, so that its time is the latency of the core's multiplier times the steps.
static uint64_t chain(uint64_t value) {
  for (int i = 0; i < REFERENCE_STEPS; i++) value = value * UINT64_C(0x9e3779b97f4a7c15) + 1;
  return value;
}

uint64_t tvmq_reference_ns(void) {
  static volatile uint64_t result = 1;
  const uint64_t begin = tvmq_now_ns();
  uint64_t least = UINT64_MAX, now;
  do {
    const uint64_t start = tvmq_now_ns();
    result = chain(result);
    now = tvmq_now_ns();
    least = now - start < least ? now - start : least;
  } while (now - begin < REFERENCE_NS);
  return least > 0 ? least : 1;
}
