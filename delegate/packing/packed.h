// Packed weights. They are never written to once they are made, so operators share them: those of the same contents, quantization and layout have one key, and
// whoever asks for a key while somebody in the process still has its weights gets these. The weights of a cache file (weight_file.h) are found alike.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/content.h"

struct tvmq_weight_file;

struct tvmq_packed {
  const uint8_t *panels;
  size_t bytes;
  uint32_t promises;  // found by the packer

  // Place in the list of those that are shared
  struct tvmq_packed *next;
  struct tvmq_key key;
  size_t users;
  bool is_shared;
  uint8_t *memory;                // that the panels lie in, unless they lie in a file
  struct tvmq_weight_file *file;  // likewise
};

// Packed weights to be filled, with one user and no key. NULL: out of memory.
struct tvmq_packed *tvmq_packed_create(size_t bytes);

// The weights of a key, of that many bytes, with one user more; of the process or of the file, which may be NULL. NULL: there are none.
struct tvmq_packed *tvmq_packed_find(const struct tvmq_key *key, size_t bytes, struct tvmq_weight_file *file);

// Offers filled weights under a key. Returns them, or those that another thread has offered in the meantime.
struct tvmq_packed *tvmq_packed_share(struct tvmq_packed *packed, const struct tvmq_key *key);

// A user more, or less; the last one takes them away. NULL is fine for release.
void tvmq_packed_keep(struct tvmq_packed *packed);
void tvmq_packed_release(struct tvmq_packed *packed);

size_t tvmq_packed_shared(void);  // how many sets of weights the list has; for tests
