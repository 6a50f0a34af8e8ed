// Packed weights in a file, for the next start of any process: the option weight_cache. The file is mapped for reading, and never written to: a new one takes
// its place.
//
//   header   magic, build of the library, seed of the keys, number of entries, bytes of the file, checksum of header and entries
//   entries  key, place, bytes, promises, checksum of the weights; in the order of keys
//   weights  of each entry, at a multiple of 64 bytes
//
// Only a file of the user that the process runs as, which nobody else may write, is read. Whatever is used is checked first: the header and the entries
// when it is opened, the weights of an entry when they are found. A file of another build of the library is no error and is replaced.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/content.h"

struct tvmq_weight_file;
struct tvmq_packed;

struct tvmq_weights {
  const uint8_t *data;
  size_t bytes;
  uint32_t promises;
};

// The file, with one user. NULL, and why not, unless there simply is none yet.
struct tvmq_weight_file *tvmq_weight_file_open(const char *path, const char **why);

// The same of memory, which is aligned to 64 bytes and outlives the file.
struct tvmq_weight_file *tvmq_weight_file_in(const void *memory, size_t bytes, const char **why);

void tvmq_weight_file_keep(struct tvmq_weight_file *file);
void tvmq_weight_file_release(struct tvmq_weight_file *file);  // NULL is fine

// The hasher that the file's keys come from.
const struct tvmq_hasher *tvmq_weight_file_hasher(const struct tvmq_weight_file *file);

// False: the file does not have the key, or its weights are damaged. They live as long as the file.
bool tvmq_weight_file_find(const struct tvmq_weight_file *file, const struct tvmq_key *key, struct tvmq_weights *weights);
bool tvmq_weight_file_has(const struct tvmq_weight_file *file, const struct tvmq_key *key);  // whatever the weights

// Puts a file in place that has the given weights, keys by that hasher, and those that the file there has. NULL, or why not. A file there with other keys,
// which another process has just written, stays.
const char *tvmq_weight_file_write(const char *path, const struct tvmq_hasher *hasher, struct tvmq_packed *const *list, size_t n);

// ---- the format, for writer and tests

struct tvmq_weight_header {
  char magic[8];
  uint8_t build[32];
  uint64_t seed[2];
  uint64_t n_entries, bytes;
  struct tvmq_key sum;  // of the header, itself 0, and the entries
};

struct tvmq_weight_entry {
  struct tvmq_key key;
  uint64_t place, bytes, promises;
  struct tvmq_key sum;
};

enum { TVMQ_WEIGHT_ALIGNMENT = 64 };

// Sets all of the header but for n_entries and bytes, and the sum. False: the build of the library cannot be told.
bool tvmq_weight_header_fill(struct tvmq_weight_header *header, const struct tvmq_hasher *hasher);

// The checksum that a header with these entries is to have.
struct tvmq_key tvmq_weight_header_sum(const struct tvmq_hasher *hasher, const struct tvmq_weight_header *header, const struct tvmq_weight_entry *entries);

const struct tvmq_weight_entry *tvmq_weight_file_entries(const struct tvmq_weight_file *file, size_t *n);

static inline bool tvmq_key_precedes(const struct tvmq_key *a, const struct tvmq_key *b) {
  return a->words[0] < b->words[0] || (a->words[0] == b->words[0] && a->words[1] < b->words[1]);
}
