#include "random.h"

#include <string.h>

static uint64_t state;

void check_random_seed(uint64_t seed, const char *name) {
  state = seed;
  for (const char *c = name; *c; c++) state = (state ^ (unsigned char)*c) * 0x100000001b3u;
}

// SplitMix64: any state is a good one, and it costs a few cycles.
uint64_t check_random(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

uint32_t check_below(uint32_t n) { return (uint32_t)((check_random() >> 32) * n >> 32); }

int64_t check_between(int64_t lo, int64_t hi) {
  const uint64_t span = (uint64_t)hi - (uint64_t)lo + 1;  // 0: all 2^64
  return (int64_t)((uint64_t)lo + (span ? (uint64_t)((unsigned __int128)check_random() * span >> 64) : check_random()));
}

bool check_one_in(uint32_t n) { return check_below(n) == 0; }

void check_random_bytes(void *bytes, size_t size) {
  unsigned char *at = bytes;
  for (; size > 0;) {
    const uint64_t word = check_random();
    const size_t n = size < sizeof word ? size : sizeof word;
    memcpy(at, &word, n);
    at += n;
    size -= n;
  }
}
