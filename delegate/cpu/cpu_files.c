#include "cpu/cpu_files.h"

FILE *tvmq_cpu_open(const char *root, const char *path) {
  char whole[512];
  const int length = snprintf(whole, sizeof whole, "%s%s", root, path);
  return length > 0 && (size_t)length < sizeof whole ? fopen(whole, "re") : NULL;
}

bool tvmq_cpu_number(const char *root, unsigned cpu, const char *file, long long *number) {
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/%s", cpu, file);
  FILE *opened = tvmq_cpu_open(root, path);
  if (opened == NULL) return false;
  const bool read = fscanf(opened, "%lli", number) == 1;
  fclose(opened);
  return read;
}
