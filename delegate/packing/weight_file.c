#define _GNU_SOURCE
#include "packing/weight_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/build_id.h"
#include "base/memory.h"

struct tvmq_weight_file {
  const uint8_t *memory;
  size_t bytes;
  bool is_mapped;
  size_t n;
  const struct tvmq_weight_entry *entries;
  _Atomic size_t users;
  struct tvmq_hasher hasher;
};

static const char magic[8] = {'t', 'v', 'm', 'q', 'w', 't', 's', '1'};

bool tvmq_weight_header_fill(struct tvmq_weight_header *header, const struct tvmq_hasher *hasher) {
  _Static_assert(sizeof header->build == TVMQ_BUILD_ID_BYTES, "as build_id.h has it");
  memset(header, 0, sizeof *header);
  memcpy(header->magic, magic, sizeof magic);
  memcpy(header->seed, hasher->seed, sizeof header->seed);
  return tvmq_build_id(header->build);
}

struct tvmq_key tvmq_weight_header_sum(const struct tvmq_hasher *hasher, const struct tvmq_weight_header *header, const struct tvmq_weight_entry *entries) {
  struct tvmq_weight_header bare = *header;
  memset(&bare.sum, 0, sizeof bare.sum);
  const struct tvmq_key parts[2] = {tvmq_content(hasher, &bare, sizeof bare), tvmq_content(hasher, entries, header->n_entries * sizeof *entries)};
  return tvmq_content(hasher, parts, sizeof parts);
}

// Returns whether the entry's weights lie within the file, and its key follows the key of the previous entry.
static bool is_sound(const struct tvmq_weight_file *file, const struct tvmq_weight_entry *entry) {
  if (entry > file->entries && !tvmq_key_precedes(&entry[-1].key, &entry->key)) return false;
  return entry->place % TVMQ_WEIGHT_ALIGNMENT == 0 && entry->place <= file->bytes && entry->bytes <= file->bytes - entry->place &&
         entry->invariants <= UINT32_MAX;
}

static const char *check(struct tvmq_weight_file *file) {
  struct tvmq_weight_header header, own;
  if (file->bytes < sizeof header) return "it is not a file of packed weights";
  memcpy(&header, file->memory, sizeof header);
  if (memcmp(header.magic, magic, sizeof magic) != 0) return "it is not a file of packed weights";
  tvmq_hasher_init(&file->hasher, header.seed);
  if (!tvmq_weight_header_fill(&own, &file->hasher)) return "the library has no build ID";
  if (memcmp(header.build, own.build, sizeof own.build) != 0) return "it was written by another build of the library";
  if (header.bytes != file->bytes || header.n_entries > (file->bytes - sizeof header) / sizeof *file->entries) return "it is incomplete";
  file->n = header.n_entries;
  file->entries = (const void *)(file->memory + sizeof header);
  const struct tvmq_key sum = tvmq_weight_header_sum(&file->hasher, &header, file->entries);
  if (!tvmq_key_equal(&sum, &header.sum)) return "it is damaged";
  for (size_t i = 0; i < file->n; i++) {
    if (!is_sound(file, &file->entries[i])) return "its entries are inconsistent";
  }
  return NULL;
}

struct tvmq_weight_file *tvmq_weight_file_in(const void *memory, size_t bytes, const char **why) {
  struct tvmq_weight_file *file = tvmq_alloc(sizeof *file);
  *why = "out of memory";
  if (file == NULL) return NULL;
  file->memory = memory;
  file->bytes = bytes;
  atomic_init(&file->users, 1);
  *why = check(file);
  if (*why == NULL) return file;
  tvmq_free(file);
  return NULL;
}

// Returns NULL if only the user can have written the file, otherwise the reason for distrust.
static const char *distrust(const struct stat *about) {
  if (!S_ISREG(about->st_mode)) return "it is not a regular file";
  if (about->st_uid != geteuid()) return "it belongs to another user";
  if ((about->st_mode & (S_IWGRP | S_IWOTH)) != 0) return "other users may write to it";
  return about->st_size >= (off_t)sizeof(struct tvmq_weight_header) && (uint64_t)about->st_size <= PTRDIFF_MAX ? NULL : "it is not a file of packed weights";
}

static struct tvmq_weight_file *map(int descriptor, const char **why) {
  struct stat about;
  *why = fstat(descriptor, &about) == 0 ? distrust(&about) : "it cannot be read";
  if (*why != NULL) return NULL;
  const size_t bytes = (size_t)about.st_size;
  void *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (memory == MAP_FAILED) {
    *why = "it cannot be mapped";
    return NULL;
  }
  struct tvmq_weight_file *file = tvmq_weight_file_in(memory, bytes, why);
  if (file == NULL)
    munmap(memory, bytes);
  else
    file->is_mapped = true;
  return file;
}

struct tvmq_weight_file *tvmq_weight_file_open(const char *path, const char **why) {
  // Opening never blocks, even if the file is a FIFO or a device.
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) {
    *why = errno == ENOENT ? NULL : "it cannot be opened";
    return NULL;
  }
  struct tvmq_weight_file *file = map(descriptor, why);
  close(descriptor);
  return file;
}

void tvmq_weight_file_keep(struct tvmq_weight_file *file) { atomic_fetch_add_explicit(&file->users, 1, memory_order_relaxed); }

void tvmq_weight_file_release(struct tvmq_weight_file *file) {
  if (file == NULL || atomic_fetch_sub_explicit(&file->users, 1, memory_order_acq_rel) > 1) return;
  if (file->is_mapped) munmap((void *)file->memory, file->bytes);
  tvmq_free(file);
}

const struct tvmq_hasher *tvmq_weight_file_hasher(const struct tvmq_weight_file *file) { return &file->hasher; }

const struct tvmq_weight_entry *tvmq_weight_file_entries(const struct tvmq_weight_file *file, size_t *n) {
  *n = file->n;
  return file->entries;
}

static const struct tvmq_weight_entry *find(const struct tvmq_weight_file *file, const struct tvmq_key *key) {
  size_t first = 0, end = file->n;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (tvmq_key_precedes(&file->entries[middle].key, key))
      first = middle + 1;
    else
      end = middle;
  }
  return first < file->n && tvmq_key_equal(&file->entries[first].key, key) ? &file->entries[first] : NULL;
}

bool tvmq_weight_file_has(const struct tvmq_weight_file *file, const struct tvmq_key *key) { return find(file, key) != NULL; }

bool tvmq_weight_file_find(const struct tvmq_weight_file *file, const struct tvmq_key *key, struct tvmq_weights *weights) {
  const struct tvmq_weight_entry *entry = find(file, key);
  if (entry == NULL) return false;
  const struct tvmq_key sum = tvmq_content(&file->hasher, file->memory + entry->place, entry->bytes);
  *weights = (struct tvmq_weights){file->memory + entry->place, entry->bytes, (uint32_t)entry->invariants};
  return tvmq_key_equal(&sum, &entry->sum);
}
