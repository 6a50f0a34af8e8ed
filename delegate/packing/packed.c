#include "packing/packed.h"

#include <pthread.h>

#include "base/memory.h"
#include "base/recording.h"
#include "base/slab.h"
#include "packing/weight_file.h"

// Lists of shared weights, chosen by key. Keys are distributed like random numbers.
enum { LISTS = 256 };
static struct tvmq_packed *lists[LISTS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Hold the mutex during fork(), so that the child has consistent lists and an unlocked mutex.
static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }
static void watch_forks(void) { pthread_atfork(lock, unlock, unlock); }

static void enter(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  lock();
}

static struct tvmq_packed **list_of(const struct tvmq_key *key) { return &lists[key->words[0] % LISTS]; }

static struct tvmq_packed *find(const struct tvmq_key *key) {
  struct tvmq_packed *packed = *list_of(key);
  while (packed != NULL && !tvmq_key_equal(&packed->key, key)) packed = packed->next;
  return packed;
}

struct tvmq_packed *tvmq_packed_create(size_t bytes, struct tvmq_slabs *slabs) {
  struct tvmq_packed *packed = tvmq_alloc(sizeof *packed);
  if (packed == NULL) return NULL;
  packed->memory = slabs != NULL ? tvmq_slabs_take(slabs, bytes, &packed->slab) : tvmq_alloc_unset(bytes);
  if (packed->memory == NULL) {
    tvmq_free(packed);
    return NULL;
  }
  packed->panels = packed->memory;
  tvmq_recording_note_constant(packed->memory);
  packed->bytes = bytes;
  packed->users = 1;
  return packed;
}

static struct tvmq_packed *find_in_file(const struct tvmq_key *key, size_t bytes, struct tvmq_weight_file *file) {
  struct tvmq_weights weights;
  if (file == NULL || !tvmq_weight_file_find(file, key, &weights) || weights.bytes != bytes) return NULL;
  struct tvmq_packed *packed = tvmq_alloc(sizeof *packed);
  if (packed == NULL) return NULL;
  *packed = (struct tvmq_packed){.panels = weights.data, .bytes = bytes, .invariants = weights.invariants, .users = 1, .file = file};
  tvmq_weight_file_keep(file);
  return tvmq_packed_share(packed, key);
}

struct tvmq_packed *tvmq_packed_find(const struct tvmq_key *key, size_t bytes, struct tvmq_weight_file *file) {
  enter();
  struct tvmq_packed *packed = find(key);
  if (packed != NULL && packed->bytes == bytes)
    packed->users++;
  else
    packed = NULL;
  unlock();
  return packed != NULL ? packed : find_in_file(key, bytes, file);
}

struct tvmq_packed *tvmq_packed_share(struct tvmq_packed *packed, const struct tvmq_key *key) {
  enter();
  struct tvmq_packed *other = find(key);
  if (other == NULL) {
    packed->key = *key;
    packed->is_shared = true;
    packed->next = *list_of(key);
    *list_of(key) = packed;
  } else if (other->bytes == packed->bytes) {
    other->users++;
  } else {
    other = NULL;  // same key, different contents: not shared
  }
  unlock();
  if (other == NULL) return packed;
  tvmq_packed_release(packed);
  return other;
}

void tvmq_packed_keep(struct tvmq_packed *packed) {
  enter();
  packed->users++;
  unlock();
}

void tvmq_packed_release(struct tvmq_packed *packed) {
  if (packed == NULL) return;
  enter();
  const bool last = --packed->users == 0;
  if (last && packed->is_shared) {
    struct tvmq_packed **link = list_of(&packed->key);
    while (*link != packed) link = &(*link)->next;
    *link = packed->next;
  }
  unlock();
  if (!last) return;
  tvmq_weight_file_release(packed->file);
  tvmq_slab_free(packed->slab, packed->memory);
  tvmq_free(packed);
}

size_t tvmq_packed_shared(void) {
  size_t n = 0;
  enter();
  for (size_t i = 0; i < LISTS; i++) {
    for (const struct tvmq_packed *packed = lists[i]; packed != NULL; packed = packed->next) n++;
  }
  unlock();
  return n;
}
