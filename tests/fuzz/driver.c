// Runs the fuzz target without libFuzzer: on files, as libFuzzer writes them when it finds something, and on folders of them; or on random inputs.
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"
#include "support/random.h"

static char repeat[1024];

// Failures abort and faults are left as they are: this only says how to come back to them.
static void on_death(int number) {
  fprintf(stderr, "%s\nrepeat: %s\n", strsignal(number), repeat);
  signal(number, SIG_DFL);
  raise(number);
}

static void run_file(const char *program, const char *path) {
  static uint8_t data[1 << 16];
  snprintf(repeat, sizeof repeat, "%.400s %.600s", program, path);
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  const size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  LLVMFuzzerTestOneInput(data, size);
}

static void run_path(const char *program, const char *path) {
  DIR *folder = opendir(path);
  if (!folder) {
    run_file(program, path);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char file[512];
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] != '.') run_file(program, file);
  }
  closedir(folder);
}

// Run i of a seed draws the same bytes whichever runs come before it.
static void run_random(uint64_t seed, uint64_t i) {
  uint8_t data[128];
  check_random_seed(seed + (i << 32), "fuzz");
  const size_t size = check_below(8) ? sizeof data : check_below(sizeof data);
  check_random_bytes(data, size);
  LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv) {
  uint64_t seed = (uint64_t)time(NULL), first = 0, n = 6000;
  int files = 0;
  static const int deaths[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
  for (size_t i = 0; i < sizeof deaths / sizeof deaths[0]; i++) signal(deaths[i], on_death);
  for (int i = 1; i < argc; i++) {
    uint64_t *const number = strcmp(argv[i], "--seed") == 0 ? &seed : strcmp(argv[i], "--runs") == 0 ? &n : strcmp(argv[i], "--first") == 0 ? &first : NULL;
    if (number && i + 1 < argc) {
      *number = strtoull(argv[++i], NULL, 0);
    } else if (argv[i][0] == '-') {
      fprintf(stderr, "usage: %s [--seed N] [--runs N] [--first N] | FILE-OR-FOLDER...\n", argv[0]);
      return 2;
    } else {
      run_path(argv[0], argv[i]);
      files++;
    }
  }
  if (files) {
    printf("%zu claimed, %zu refused, %zu outputs compared\n", fuzz_counts.claimed, fuzz_counts.refused, fuzz_counts.compared);
    return 0;
  }
  printf("seed %" PRIu64 "\n", seed);
  for (uint64_t i = first; i < first + n; i++) {
    snprintf(repeat, sizeof repeat, "%s --seed %" PRIu64 " --first %" PRIu64 " --runs 1", argv[0], seed, i);
    run_random(seed, i);
  }
  printf("%" PRIu64 " inputs: %zu claimed, %zu refused, %zu outputs compared, %zu of them forced\n", n, fuzz_counts.claimed, fuzz_counts.refused,
         fuzz_counts.compared, fuzz_counts.forced);
  return (fuzz_counts.compared > 0 && fuzz_counts.forced > 0) || n < 100 ? 0 : 1;
}
