// 128-bit hashes of memory contents. Equal contents are found by their hash, without comparing bytes.
//
// Hashes depend on a secret seed. For an author of the data who does not know the seed, two different contents of 64
// MiB collide with a probability below 2^-40. Blocks are hashed with NH: pairs of words, plus secret words, are
// multiplied to 128 bits and summed. The sums of all blocks are the coefficients of two polynomials modulo 2^61 - 1,
// which are evaluated at secret points.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tvmq_key {
  uint64_t words[2];
};

enum { TVMQ_HASHER_WORDS = 256 };  // 64-bit words of a block

struct tvmq_hasher {
  uint64_t seed[2];
  uint64_t secret[TVMQ_HASHER_WORDS];
  uint64_t place[2];
};

void tvmq_hasher_init(struct tvmq_hasher *hasher, const uint64_t seed[2]);

// Writes the seed of this process, which is unpredictable.
void tvmq_process_seed(uint64_t seed[2]);

struct tvmq_key tvmq_content(const struct tvmq_hasher *hasher, const void *data, size_t bytes);

static inline bool tvmq_key_equal(const struct tvmq_key *a, const struct tvmq_key *b) { return a->words[0] == b->words[0] && a->words[1] == b->words[1]; }
