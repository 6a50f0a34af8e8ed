#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/memory.h"
#include "base/write_signals.h"
#include "packing/packed.h"
#include "packing/weight_file.h"

// Weights of the new file.
struct item {
  struct tvmq_key key;
  struct tvmq_weights weights;
};

enum { MOST_BYTES = 1 << 30 };  // largest size with weights of the old file; those beyond it are dropped

static int compare(const void *a, const void *b) {
  const struct tvmq_key *x = &((const struct item *)a)->key, *y = &((const struct item *)b)->key;
  return tvmq_key_precedes(x, y) ? -1 : tvmq_key_precedes(y, x);
}

static bool is_listed(const struct tvmq_key *key, struct tvmq_packed *const *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (tvmq_key_equal(&list[i]->key, key)) return true;
  }
  return false;
}

// Collects the given weights and all sound weights of the old file that fit. Returns NULL if out of memory.
static struct item *collect(struct tvmq_packed *const *list, size_t n, const struct tvmq_weight_file *old, size_t *n_items) {
  size_t n_old = 0, bytes = 0;
  const struct tvmq_weight_entry *entries = old != NULL ? tvmq_weight_file_entries(old, &n_old) : NULL;
  struct item *items = tvmq_alloc((n + n_old) * sizeof *items);
  if (items == NULL) return NULL;
  *n_items = 0;
  for (size_t i = 0; i < n; i++) {
    items[(*n_items)++] = (struct item){list[i]->key, {list[i]->panels, list[i]->bytes, list[i]->invariants}};
    bytes += list[i]->bytes;
  }
  for (size_t i = 0; i < n_old; i++) {
    struct item *item = &items[*n_items];
    item->key = entries[i].key;
    if (entries[i].bytes > MOST_BYTES || bytes + entries[i].bytes > MOST_BYTES || is_listed(&item->key, list, n)) continue;
    if (!tvmq_weight_file_find(old, &item->key, &item->weights)) continue;
    bytes += item->weights.bytes;
    ++*n_items;
  }
  qsort(items, *n_items, sizeof *items, compare);
  return items;
}

static bool put(int descriptor, const void *data, size_t bytes) {
  for (const uint8_t *at = data; bytes > 0;) {
    const ssize_t n = write(descriptor, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= (size_t)n;
  }
  return true;
}

static bool put_padding(int descriptor, size_t bytes) {
  static const uint8_t zeros[TVMQ_WEIGHT_ALIGNMENT];
  return put(descriptor, zeros, tvmq_round_up(bytes, TVMQ_WEIGHT_ALIGNMENT) - bytes);
}

static const char *put_all(int descriptor, const struct tvmq_hasher *hasher, const struct item *items, size_t n) {
  struct tvmq_weight_header header;
  if (!tvmq_weight_header_fill(&header, hasher)) return "the library has no build ID";
  struct tvmq_weight_entry *entries = tvmq_alloc(n * sizeof *entries);
  if (entries == NULL) return "out of memory";
  const size_t front = sizeof header + n * sizeof *entries;
  size_t place = tvmq_round_up(front, TVMQ_WEIGHT_ALIGNMENT);
  for (size_t i = 0; i < n; i++) {
    const struct tvmq_weights *weights = &items[i].weights;
    entries[i] = (struct tvmq_weight_entry){items[i].key, place, weights->bytes, weights->invariants, tvmq_content(hasher, weights->data, weights->bytes)};
    place += tvmq_round_up(weights->bytes, TVMQ_WEIGHT_ALIGNMENT);
  }
  header.n_entries = n;
  header.bytes = place;
  header.sum = tvmq_weight_header_sum(hasher, &header, entries);
  bool written = put(descriptor, &header, sizeof header) && put(descriptor, entries, n * sizeof *entries) && put_padding(descriptor, front);
  for (size_t i = 0; written && i < n; i++)
    written = put(descriptor, items[i].weights.data, items[i].weights.bytes) && put_padding(descriptor, items[i].weights.bytes);
  tvmq_free(entries);
  return written ? NULL : "it cannot be written";
}

// Writes the file under a temporary name, then renames it, so that no process sees an incomplete file.
static const char *replace(const char *path, const struct tvmq_hasher *hasher, const struct item *items, size_t n) {
  const size_t length = strlen(path);
  static const char suffix[] = ".XXXXXX";
  char *name = tvmq_alloc(length + sizeof suffix);
  if (name == NULL) return "out of memory";
  memcpy(name, path, length);
  memcpy(name + length, suffix, sizeof suffix);
  const int descriptor = mkostemp(name, O_CLOEXEC);
  const char *no_folder = errno == ENOENT ? "its folder does not exist" : "its folder cannot be written to";
  const char *why = descriptor >= 0 ? put_all(descriptor, hasher, items, n) : no_folder;
  if (descriptor >= 0) {
    if (close(descriptor) != 0 && why == NULL) why = "it cannot be written";
    if (why == NULL && rename(name, path) != 0) why = "it cannot be replaced";
    if (why != NULL) unlink(name);
  }
  tvmq_free(name);
  return why;
}

// Returns NULL if the file at the path may be replaced. A file that is not a weight file, or that cannot be identified,
// is kept, because the path may be a mistake. A file that has been truncated to size 0 may be replaced.
static const char *keep(const char *path) {
  static const char start[] = "tvmqwts";
  char found[sizeof start - 1];
  struct stat about;
  // Opening never blocks, even if the file is a FIFO or a device.
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return errno == ENOENT ? NULL : "it cannot be opened";
  const bool regular = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  const ssize_t n = regular ? read(descriptor, found, sizeof found) : 0;
  close(descriptor);
  if (n < 0) return "it cannot be read";
  if (!regular) return "it is not a regular file";
  return memcmp(found, start, (size_t)n) == 0 ? NULL : "it is not a file of packed weights";
}

static const char *write_file(const char *path, const struct tvmq_hasher *hasher, struct tvmq_packed *const *list, size_t n) {
  const char *unusable, *why = keep(path);
  if (why != NULL) return why;
  struct tvmq_weight_file *old = tvmq_weight_file_open(path, &unusable);
  if (old == NULL || memcmp(tvmq_weight_file_hasher(old)->seed, hasher->seed, sizeof hasher->seed) == 0) {
    size_t n_items;
    struct item *items = collect(list, n, old, &n_items);
    why = items != NULL ? replace(path, hasher, items, n_items) : "out of memory";
    tvmq_free(items);
  }
  tvmq_weight_file_release(old);
  return why;
}

const char *tvmq_weight_file_write(const char *path, const struct tvmq_hasher *hasher, struct tvmq_packed *const *list, size_t n) {
  struct tvmq_write_signals signals;
  tvmq_write_signals_hold(&signals);
  const char *why = write_file(path, hasher, list, n);
  tvmq_write_signals_release(&signals);
  return why;
}
