#include "base/memo.h"

#include <string.h>

#include "base/checksum.h"

// No function waits for the mutex: after fork(), a thread that the child does not have may hold it. A caller that finds
// nothing computes the result itself.

static uint8_t *entry_at(const struct tvmq_memo *memo, size_t i) { return memo->entries + i * (memo->key_bytes + memo->value_bytes); }

static uint32_t *bucket_of(const struct tvmq_memo *memo, uint64_t sum) { return &memo->places[sum % memo->capacity].first_here; }

static const uint8_t *find_kept(const struct tvmq_memo *memo, const void *key, uint64_t sum) {
  for (uint32_t at = *bucket_of(memo, sum); at != 0; at = memo->places[at - 1].next) {
    if (memo->places[at - 1].sum == sum && memcmp(entry_at(memo, at - 1), key, memo->key_bytes) == 0) return entry_at(memo, at - 1) + memo->key_bytes;
  }
  return NULL;
}

// Unlinks entry `i` from its list.
static void forget(const struct tvmq_memo *memo, size_t i) {
  uint32_t *link = bucket_of(memo, memo->places[i].sum);
  while (*link != i + 1) link = &memo->places[*link - 1].next;
  *link = memo->places[i].next;
}

bool tvmq_memo_find(struct tvmq_memo *memo, const void *key, void *value) {
  const uint64_t sum = tvmq_checksum(0, key, memo->key_bytes);
  if (pthread_mutex_trylock(&memo->mutex) != 0) return false;
  const uint8_t *found = find_kept(memo, key, sum);
  if (found != NULL) memcpy(value, found, memo->value_bytes);
  pthread_mutex_unlock(&memo->mutex);
  return found != NULL;
}

void tvmq_memo_keep(struct tvmq_memo *memo, const void *key, const void *value) {
  const uint64_t sum = tvmq_checksum(0, key, memo->key_bytes);
  if (pthread_mutex_trylock(&memo->mutex) != 0) return;
  if (find_kept(memo, key, sum) == NULL) {
    const size_t i = memo->n % memo->capacity;
    if (memo->n++ >= memo->capacity) forget(memo, i);
    memo->places[i].sum = sum;
    memo->places[i].next = *bucket_of(memo, sum);
    *bucket_of(memo, sum) = (uint32_t)i + 1;
    memcpy(entry_at(memo, i), key, memo->key_bytes);
    memcpy(entry_at(memo, i) + memo->key_bytes, value, memo->value_bytes);
  }
  pthread_mutex_unlock(&memo->mutex);
}

size_t tvmq_memo_save(struct tvmq_memo *memo, uint8_t *out, size_t room) {
  if (pthread_mutex_trylock(&memo->mutex) != 0) return 0;
  const size_t bytes = memo->key_bytes + memo->value_bytes, n = memo->n < memo->capacity ? memo->n : memo->capacity, most = room / bytes;
  if (room > 0) memcpy(out, memo->entries, (n < most ? n : most) * bytes);
  pthread_mutex_unlock(&memo->mutex);
  return n * bytes;
}

void tvmq_memo_load(struct tvmq_memo *memo, const uint8_t *bytes, size_t n, bool (*is_sound)(const void *value)) {
  for (; n >= memo->key_bytes + memo->value_bytes; n -= memo->key_bytes + memo->value_bytes, bytes += memo->key_bytes + memo->value_bytes) {
    if (is_sound(bytes + memo->key_bytes)) tvmq_memo_keep(memo, bytes, bytes + memo->key_bytes);
  }
}
