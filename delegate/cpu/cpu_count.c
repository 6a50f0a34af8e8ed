#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/memory.h"
#include "cpu/affinity.h"
#include "cpu/cpu.h"

enum { PATH_SIZE = 4096 };

// Too large for a small stack, so allocated.
struct buffers {
  char line[PATH_SIZE], mount[PATH_SIZE], directory[PATH_SIZE], path[PATH_SIZE + 32];
};

// Reads the first line of a file of the cgroup. Returns false if that fails.
static bool read_cgroup_line(struct buffers *buffers, const char *file, char *line, size_t size) {
  snprintf(buffers->path, sizeof buffers->path, "%s/%s", buffers->directory, file);
  FILE *stream = fopen(buffers->path, "re");
  if (stream == NULL) return false;
  const bool read = fgets(line, (int)size, stream) != NULL;
  fclose(stream);
  return read;
}

// Returns a quota of time per period as thousandths of a processor, rounded up, or 0 for no limit.
static int thousandths(long long quota, long long period) {
  long long n;
  if (quota <= 0 || period <= 0) return 0;
  if (__builtin_mul_overflow(quota, 1000, &n)) return INT32_MAX;
  n = (n - 1) / period + 1;
  return n < INT32_MAX ? (int)n : INT32_MAX;
}

// Returns the quota of one directory, or 0 for none. cgroup version 2 has one file ("max 100000" or "150000 100000");
// version 1 has two files, with a quota of -1 for none.
static int quota_of_directory(struct buffers *buffers) {
  char line[64], period_line[64];
  long long quota, period;
  if (read_cgroup_line(buffers, "cpu.max", line, sizeof line)) return sscanf(line, "%lld %lld", &quota, &period) == 2 ? thousandths(quota, period) : 0;
  if (!read_cgroup_line(buffers, "cpu.cfs_quota_us", line, sizeof line) || atoll(line) <= 0) return 0;
  if (!read_cgroup_line(buffers, "cpu.cfs_period_us", period_line, sizeof period_line)) return 0;
  return thousandths(atoll(line), atoll(period_line));
}

static int smaller_limit(int a, int b) { return a == 0 || (b != 0 && b < a) ? b : a; }

// Returns the smallest limit of a cgroup and all its ancestors. In a container, the path may be the host's and not
// exist. The mount point itself is then the container's cgroup, where the walk ends.
static int quota_of_cgroup(struct buffers *buffers, const char *cgroup) {
  const size_t mount_length = strlen(buffers->mount);
  if (snprintf(buffers->directory, sizeof buffers->directory, "%s%s", buffers->mount, cgroup) >= (int)sizeof buffers->directory) return 0;
  int limit = 0;
  for (;;) {
    limit = smaller_limit(limit, quota_of_directory(buffers));
    char *slash = strrchr(buffers->directory, '/');
    if (slash == NULL || (size_t)(slash - buffers->directory) < mount_length) return limit;
    *slash = '\0';
  }
}

static bool lists_cpu(const char *controllers) {
  for (const char *c = controllers; c != NULL; c = strchr(c, ',')) {
    c += *c == ',';
    if (strncmp(c, "cpu", 3) == 0 && (c[3] == ',' || c[3] == '\0')) return true;
  }
  return false;
}

static int quota(const char *root, struct buffers *buffers) {
  char *const line = buffers->line;
  snprintf(line, PATH_SIZE, "%s/proc/self/cgroup", root);
  FILE *file = fopen(line, "re");
  if (file == NULL) return 0;

  int limit = 0;
  while (fgets(line, PATH_SIZE, file) != NULL) {
    // hierarchy:controllers:cgroup; version 2 has no controllers
    char *controllers = strchr(line, ':'), *cgroup = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (cgroup == NULL) continue;
    *cgroup++ = '\0';
    controllers++;
    cgroup[strcspn(cgroup, "\n")] = '\0';
    if (*controllers != '\0' && !lists_cpu(controllers)) continue;
    if (strcmp(cgroup, "/") == 0) cgroup++;  // the mount point itself

    // Usual mount points. Version 2: the top or, together with version 1, "unified". Version 1: the controllers' names,
    // or the link "cpu".
    const char *const places[] = {*controllers == '\0' ? "" : controllers, *controllers == '\0' ? "unified" : "cpu"};
    const size_t n_places = strcmp(places[0], places[1]) == 0 ? 1 : 2;
    for (size_t i = 0; i < n_places; i++) {
      if (snprintf(buffers->mount, PATH_SIZE, "%s/sys/fs/cgroup%s%.256s", root, *places[i] != '\0' ? "/" : "", places[i]) >= PATH_SIZE) continue;
      limit = smaller_limit(limit, quota_of_cgroup(buffers, cgroup));
    }
  }
  fclose(file);
  return limit;
}

int tvmq_cpu_quota(const char *root) {
  struct buffers *buffers = tvmq_alloc_unset(sizeof *buffers);
  const int limit = buffers != NULL ? quota(root, buffers) : 0;
  tvmq_free(buffers);
  return limit;
}

static int affinity_count(void) {
  struct tvmq_cpus cpus;
  if (!tvmq_cpus_here(&cpus)) return (int)sysconf(_SC_NPROCESSORS_ONLN);
  int count = 0;
  for (size_t i = 0; i < sizeof cpus.words / sizeof cpus.words[0]; i++) count += __builtin_popcount(cpus.words[i]);
  return count;
}

bool tvmq_cpu_may_use(unsigned cpu) {
  struct tvmq_cpus cpus;
  return !tvmq_cpus_here(&cpus) || tvmq_cpus_have(&cpus, cpu);
}

int tvmq_cpu_count(void) {
  const int n = smaller_limit(affinity_count(), (int)tvmq_ceil_div((size_t)tvmq_cpu_quota(""), 1000));
  return n > 0 ? n : 1;
}
