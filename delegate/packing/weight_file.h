// Packed weights in a file, which later processes use when they start (option weight_cache). The file is mapped
// read-only and never modified; a new file replaces it.
//
//   header   magic, build of the library, seed of the keys, number of entries, bytes of the file, checksum of header and entries
//   entries  key, place, bytes, invariants, checksum of the weights; in the order of keys
//   weights  of each entry, at a multiple of 64 bytes
//
// A file is read only if it belongs to the user of the process and no other user may write to it. All data is checked
// before use: header and entries when the file is opened, the weights of an entry when they are found. A file from
// another build of the library is not an error; it is replaced.
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
  uint32_t invariants;
};

// Opens the file, with one user. Returns NULL and sets *why to the reason, or to NULL if there is no file yet.
struct tvmq_weight_file *tvmq_weight_file_open(const char *path, const char **why);

// Does the same with the contents of a file in memory. The memory is aligned to 64 bytes and outlives the file.
struct tvmq_weight_file *tvmq_weight_file_in(const void *memory, size_t bytes, const char **why);

void tvmq_weight_file_keep(struct tvmq_weight_file *file);
void tvmq_weight_file_release(struct tvmq_weight_file *file);  // NULL is fine

// Returns the hasher of the file's keys.
const struct tvmq_hasher *tvmq_weight_file_hasher(const struct tvmq_weight_file *file);

// Finds the weights of a key, which are valid as long as the file. Returns false if the file does not have the key, or
// if the weights are damaged.
bool tvmq_weight_file_find(const struct tvmq_weight_file *file, const struct tvmq_key *key, struct tvmq_weights *weights);

// Returns whether the file has the key; does not check the weights.
bool tvmq_weight_file_has(const struct tvmq_weight_file *file, const struct tvmq_key *key);

// Replaces the file at `path` by a file with the given weights, whose keys come from `hasher`, and the weights of the
// existing file. Returns NULL, or why it failed. An existing file with keys from another hasher, which another process
// has just written, is kept.
const char *tvmq_weight_file_write(const char *path, const struct tvmq_hasher *hasher, struct tvmq_packed *const *list, size_t n);

// ---- the format, for writer and tests

struct tvmq_weight_header {
  char magic[8];
  uint8_t build[32];
  uint64_t seed[2];
  uint64_t n_entries, bytes;
  struct tvmq_key sum;  // checksum of the header (with sum 0) and the entries
};

struct tvmq_weight_entry {
  struct tvmq_key key;
  uint64_t place, bytes, invariants;
  struct tvmq_key sum;
};

enum { TVMQ_WEIGHT_ALIGNMENT = 64 };

// Sets all members of the header except n_entries, bytes and sum. Returns false if the library has no build ID.
bool tvmq_weight_header_fill(struct tvmq_weight_header *header, const struct tvmq_hasher *hasher);

// Returns the correct checksum for a header with these entries.
struct tvmq_key tvmq_weight_header_sum(const struct tvmq_hasher *hasher, const struct tvmq_weight_header *header, const struct tvmq_weight_entry *entries);

const struct tvmq_weight_entry *tvmq_weight_file_entries(const struct tvmq_weight_file *file, size_t *n);

static inline bool tvmq_key_precedes(const struct tvmq_key *a, const struct tvmq_key *b) {
  return a->words[0] < b->words[0] || (a->words[0] == b->words[0] && a->words[1] < b->words[1]);
}
