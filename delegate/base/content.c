#include "base/content.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/clock.h"

__extension__ typedef unsigned __int128 uint128;

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

static uint64_t next_secret(uint64_t state[2]) {
  state[0] = tvmq_checksum_word(state[0] + UINT64_C(0x9e3779b97f4a7c15), state[1]);
  state[1] = tvmq_checksum_word(state[1] + UINT64_C(0xd1b54a32d192ed03), state[0]);
  return state[0] ^ state[1] << 32;
}

void tvmq_hasher_init(struct tvmq_hasher *hasher, const uint64_t seed[2]) {
  uint64_t state[2] = {seed[0], seed[1]};
  memcpy(hasher->seed, seed, sizeof hasher->seed);
  for (int i = 0; i < 4; i++) next_secret(state);
  for (size_t i = 0; i < TVMQ_HASHER_WORDS; i++) hasher->secret[i] = next_secret(state);
  for (int i = 0; i < 2; i++) hasher->place[i] = (next_secret(state) >> 4) + 1;  // below the prime
}

static uint64_t process_seed[2];

static void draw_seed(void) {
  const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  const bool drawn = file >= 0 && read(file, process_seed, sizeof process_seed) == (ssize_t)sizeof process_seed;
  if (file >= 0) close(file);
  if (drawn) return;
  process_seed[0] = tvmq_now_ns();  // fallback: times and addresses also differ between processes
  process_seed[1] = (uintptr_t)&file ^ (uint64_t)getpid() << 48;
}

void tvmq_process_seed(uint64_t seed[2]) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, draw_seed);
  memcpy(seed, process_seed, sizeof process_seed);
}

static uint64_t multiply_modulo(uint64_t a, uint64_t b) {
  const uint128 product = (uint128)a * b;
  const uint64_t sum = ((uint64_t)product & prime) + (uint64_t)(product >> 61);
  return sum >= prime ? sum - prime : sum;
}

// Appends a coefficient of at most 61 bits to both polynomials.
static void append_coefficient(const struct tvmq_hasher *hasher, uint64_t coefficient, struct tvmq_key *key) {
  for (int i = 0; i < 2; i++) {
    const uint64_t sum = multiply_modulo(key->words[i], hasher->place[i]) + coefficient % prime;
    key->words[i] = sum >= prime ? sum - prime : sum;
  }
}

static void append_sum(const struct tvmq_hasher *hasher, uint128 sum, struct tvmq_key *key) {
  const uint64_t part = (UINT64_C(1) << 48) - 1;
  append_coefficient(hasher, (uint64_t)sum & part, key);
  append_coefficient(hasher, (uint64_t)(sum >> 48) & part, key);
  append_coefficient(hasher, (uint64_t)(sum >> 96), key);
}

static uint64_t word_at(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

// STEP: bytes that are summed at a time, a cache line. WORD: bytes of a word.
enum { STEP = 64, WORD = 8 };

// Returns the NH sum of at most one block; `bytes` is a multiple of STEP. Prefetches across page boundaries, where
// hardware prefetchers stop. Prefetching past the end of the data is harmless.
static uint128 sum_of(const struct tvmq_hasher *hasher, const uint8_t *data, size_t bytes) {
  enum { AHEAD = 4096 };
  const uint64_t *secret = hasher->secret;
  uint128 sums[2] = {0};
  for (size_t i = 0; i < bytes; i += STEP, secret += STEP / WORD) {
    __builtin_prefetch((const void *)((uintptr_t)(data + i) + AHEAD));
    for (size_t j = 0; j < STEP / WORD; j += 2)
      sums[j / 2 % 2] += (uint128)(word_at(data + i + j * WORD) + secret[j]) * (word_at(data + i + (j + 1) * WORD) + secret[j + 1]);
  }
  return sums[0] + sums[1];
}

struct tvmq_key tvmq_content(const struct tvmq_hasher *hasher, const void *data, size_t bytes) {
  enum { BLOCK = 8 * TVMQ_HASHER_WORDS };
  const uint8_t *at = data;
  struct tvmq_key key = {{1, 1}};
  size_t left = bytes;
  for (; left >= BLOCK; left -= BLOCK, at += BLOCK) append_sum(hasher, sum_of(hasher, at, BLOCK), &key);
  const size_t whole = left / STEP * STEP;
  uint8_t rest[STEP] = {0};
  if (left > whole) memcpy(rest, at + whole, left - whole);
  if (whole > 0) append_sum(hasher, sum_of(hasher, at, whole), &key);
  if (left > whole) append_sum(hasher, sum_of(hasher, rest, STEP), &key);
  append_coefficient(hasher, bytes, &key);
  return key;
}
