// A file system below a temporary directory, for functions that read /proc and /sys below a root.
// The includer defines _GNU_SOURCE.
#pragma once

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[64];

static void make_root(void) {
  strcpy(root, "/tmp/tvmq-test-XXXXXX");
  if (mkdtemp(root) == NULL) {
    perror("mkdtemp");
    exit(1);
  }
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  return remove(path);
}
static void remove_root(void) { nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

static void write_file(const char *path, const char *text) {
  char whole[512];
  snprintf(whole, sizeof whole, "%s%s", root, path);
  for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    if (mkdir(whole, 0755) != 0 && errno != EEXIST) perror(whole);
    *slash = '/';
  }
  FILE *file = fopen(whole, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
    perror(whole);
    exit(1);
  }
}
