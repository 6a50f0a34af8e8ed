// Names for contents of memory: 128 bits that tell what bytes are there, so that equal contents are found again without comparing them.
//
// Names depend on a seed. Two contents that differ have one name with a probability below 2^-40 for 64 MiB, whatever they are, as long as whoever made them
// does not know the seed: blocks are summed by NH (pairs of words plus secret words, multiplied to 128 bits), and the sums of blocks are the coefficients of
// two polynomials modulo 2^61 - 1, at secret places.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tvmq_key {
  uint64_t words[2];
};

enum { TVMQ_HASHER_WORDS = 256 };  // of a block

struct tvmq_hasher {
  uint64_t seed[2];
  uint64_t secret[TVMQ_HASHER_WORDS];
  uint64_t place[2];
};

void tvmq_hasher_init(struct tvmq_hasher *hasher, const uint64_t seed[2]);

// The seed of this process, which nobody can foresee.
void tvmq_process_seed(uint64_t seed[2]);

struct tvmq_key tvmq_content(const struct tvmq_hasher *hasher, const void *data, size_t bytes);

static inline bool tvmq_key_equal(const struct tvmq_key *a, const struct tvmq_key *b) { return a->words[0] == b->words[0] && a->words[1] == b->words[1]; }
