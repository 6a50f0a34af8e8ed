// Packed weights. They never change after they are filled, so operators share them. Weights with the same contents,
// quantization and layout have the same key. A request for a key returns the existing weights while any operator of the
// process still uses them. Weights in a cache file (weight_file.h) are found in the same way.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/content.h"

struct tvmq_slab;
struct tvmq_slabs;
struct tvmq_weight_file;

struct tvmq_packed {
  const uint8_t *panels;
  size_t bytes;
  uint32_t invariants;  // invariants that the packer has proven

  // Place in the list of shared weights
  struct tvmq_packed *next;
  struct tvmq_key key;
  size_t users;
  bool is_shared;
  uint8_t *memory;                // memory of the panels, if they are not in a file
  struct tvmq_slab *slab;         // slab of the memory; NULL: none
  struct tvmq_weight_file *file;  // file of the panels, if they are in one
};

// Creates packed weights, which the caller fills, with one user and no key. Their memory is from `slabs` if that is not
// NULL. Returns NULL if out of memory.
struct tvmq_packed *tvmq_packed_create(size_t bytes, struct tvmq_slabs *slabs);

// Finds the weights of this key and size in the process or in the file, and adds a user. `file` may be NULL. Returns
// NULL if there are none.
struct tvmq_packed *tvmq_packed_find(const struct tvmq_key *key, size_t bytes, struct tvmq_weight_file *file);

// Offers filled weights under a key. Returns these weights, or the weights that another thread has offered in the
// meantime.
struct tvmq_packed *tvmq_packed_share(struct tvmq_packed *packed, const struct tvmq_key *key);

// Add a user, and remove a user. Removing the last user frees the weights. tvmq_packed_release() accepts NULL.
void tvmq_packed_keep(struct tvmq_packed *packed);
void tvmq_packed_release(struct tvmq_packed *packed);

size_t tvmq_packed_shared(void);  // number of shared sets of weights; for tests
