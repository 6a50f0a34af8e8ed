// Results of pure functions, kept by their arguments for all interpreters of the process: a network asks for the same more than once, and so does the next
// interpreter of it. The last few results are kept, in memory that is never released.
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Entries whose keys have the same checksum modulo the capacity form a list, which begins at that place. Entries are
// numbered from 1; 0 ends a list.
struct tvmq_memo_place {
  uint64_t sum;         // of the key that is kept here
  uint32_t next;        // entry of its list
  uint32_t first_here;  // entry of the list that begins here
};

struct tvmq_memo {
  size_t key_bytes, value_bytes, capacity;
  struct tvmq_memo_place *places;
  uint8_t *entries;  // a key and its value, one after the other
  size_t n;          // that have ever been kept; the next one takes the place of the oldest
  pthread_mutex_t mutex;
};

// Defines a memo of `most` results. All bytes of keys count, so that they must all be set.
#define TVMQ_MEMO(name, key, value, most)                                \
  static struct tvmq_memo_place name##_places[most];                     \
  static uint8_t name##_entries[(most) * (sizeof(key) + sizeof(value))]; \
  static struct tvmq_memo name = {sizeof(key), sizeof(value), most, name##_places, name##_entries, 0, PTHREAD_MUTEX_INITIALIZER}

// Copies what was kept for the key. False: nothing is there, or another thread is at the memo.
bool tvmq_memo_find(struct tvmq_memo *memo, const void *key, void *value);

// Keeps a result, unless another thread is at the memo.
void tvmq_memo_keep(struct tvmq_memo *memo, const void *key, const void *value);

// All results that are kept, as bytes: how many there are, and writes as many as fit `room`. Zero where another thread is at the memo.
size_t tvmq_memo_save(struct tvmq_memo *memo, uint8_t *out, size_t room);

// Keeps the results among such bytes whose value is sound; those of a file may be anything. Bytes behind the last whole result are left out.
void tvmq_memo_load(struct tvmq_memo *memo, const uint8_t *bytes, size_t n, bool (*is_sound)(const void *value));
