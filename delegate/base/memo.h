// Memoized results of pure functions, shared by all interpreters of the process. A network often needs the same result
// more than once, and so does the next interpreter of that network. The most recent results are kept in memory that is
// never released.
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One slot of a hash table with chaining. The list of bucket b, which is the checksum modulo the capacity, begins at
// places[b].first_here. Entries are numbered from 1; 0 ends a list.
struct tvmq_memo_place {
  uint64_t sum;         // checksum of this entry's key
  uint32_t next;        // next entry in this entry's list
  uint32_t first_here;  // first entry of this bucket's list
};

struct tvmq_memo {
  size_t key_bytes, value_bytes, capacity;
  struct tvmq_memo_place *places;
  uint8_t *entries;  // for each entry its key, then its value
  size_t n;          // results ever kept; once the memo is full, a new result replaces the oldest
  pthread_mutex_t mutex;
};

// Defines a memo of `most` results. Keys are compared byte by byte, so padding must be initialized too.
#define TVMQ_MEMO(name, key, value, most)                                \
  static struct tvmq_memo_place name##_places[most];                     \
  static uint8_t name##_entries[(most) * (sizeof(key) + sizeof(value))]; \
  static struct tvmq_memo name = {sizeof(key), sizeof(value), most, name##_places, name##_entries, 0, PTHREAD_MUTEX_INITIALIZER}

// Copies the result for the key. Returns false if there is none or another thread is using the memo.
bool tvmq_memo_find(struct tvmq_memo *memo, const void *key, void *value);

// Keeps a result, unless another thread is using the memo.
void tvmq_memo_keep(struct tvmq_memo *memo, const void *key, const void *value);

// Serializes all kept results: writes as many as fit into `room` bytes and returns the bytes that all of them need.
// Returns 0 if another thread is using the memo.
size_t tvmq_memo_save(struct tvmq_memo *memo, uint8_t *out, size_t room);

// Keeps those of the serialized results that `is_sound` accepts, because bytes from a file may be corrupt. Ignores an
// incomplete result at the end.
void tvmq_memo_load(struct tvmq_memo *memo, const uint8_t *bytes, size_t n, bool (*is_sound)(const void *value));
