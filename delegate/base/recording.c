#include "base/recording.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// The thread's recording is the value of a key: Android's loader has no room for thread-local variables of libraries.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static atomic_bool has_key;

static void make_key(void) { atomic_store(&has_key, pthread_key_create(&key, NULL) == 0); }

static struct tvmq_recording *current(void) { return atomic_load_explicit(&has_key, memory_order_acquire) ? pthread_getspecific(key) : NULL; }

void tvmq_recording_start(struct tvmq_recording *recording) {
  pthread_once(&once, make_key);
  *recording = (struct tvmq_recording){0};
  recording->complete = atomic_load(&has_key) && pthread_setspecific(key, recording) == 0;
}

void tvmq_recording_stop(void) {
  if (current() != NULL) pthread_setspecific(key, NULL);
}

bool tvmq_recording_is_on(void) { return current() != NULL; }

void tvmq_recording_free(struct tvmq_recording *recording) {
  free(recording->blocks);
  free(recording->unread);
  *recording = (struct tvmq_recording){0};
}

// Returns whether the list has room for one more element, which it gets from malloc(): the record must not record itself.
static bool has_room(void **list, size_t n, size_t *room, size_t bytes) {
  if (n < *room) return true;
  const size_t wanted = *room > 0 ? 2 * *room : 256;
  void *longer = realloc(*list, wanted * bytes);
  if (longer == NULL) return false;
  *list = longer;
  *room = wanted;
  return true;
}

void tvmq_recording_add(struct tvmq_recording *recording, const void *start, size_t size, enum tvmq_memory_kind kind) {
  void *list = recording->blocks;
  recording->complete &= has_room(&list, recording->n, &recording->room, sizeof recording->blocks[0]);
  recording->blocks = list;
  if (recording->complete) recording->blocks[recording->n++] = (struct tvmq_memory_block){(uintptr_t)start, size, kind};
}

// Returns the block, looking at the latest ones first, or NULL.
static struct tvmq_memory_block *find(const struct tvmq_recording *recording, const void *start) {
  for (size_t i = recording->n; i-- > 0;) {
    if (recording->blocks[i].start == (uintptr_t)start) return &recording->blocks[i];
  }
  return NULL;
}

void tvmq_recording_set_kind(struct tvmq_recording *recording, const void *start, enum tvmq_memory_kind kind) {
  struct tvmq_memory_block *block = find(recording, start);
  if (block != NULL) block->kind = kind;
}

void tvmq_recording_note(const void *start, size_t size) {
  struct tvmq_recording *recording = current();
  if (recording != NULL) tvmq_recording_add(recording, start, size, TVMQ_MEMORY_PLAN);
}

void tvmq_recording_note_constant(const void *start) {
  struct tvmq_recording *recording = current();
  if (recording != NULL) tvmq_recording_set_kind(recording, start, TVMQ_MEMORY_CONSTANT);
}

void tvmq_recording_note_unread(const void *address) {
  struct tvmq_recording *recording = current();
  if (recording == NULL) return;
  void *list = recording->unread;
  recording->complete &= has_room(&list, recording->n_unread, &recording->unread_room, sizeof recording->unread[0]);
  recording->unread = list;
  if (recording->complete) recording->unread[recording->n_unread++] = (uintptr_t)address;
}

// Forgets the pointers in the block that only planning reads: other memory may get their addresses.
static void forget_unread(struct tvmq_recording *recording, const struct tvmq_memory_block *block) {
  size_t n = 0;
  for (size_t i = 0; i < recording->n_unread; i++) {
    const uintptr_t address = recording->unread[i];
    if (address - block->start >= block->size) recording->unread[n++] = address;
  }
  recording->n_unread = n;
}

void tvmq_recording_forget(const void *start) {
  struct tvmq_recording *recording = current();
  struct tvmq_memory_block *block = recording != NULL ? find(recording, start) : NULL;
  if (block == NULL) return;
  forget_unread(recording, block);
  *block = recording->blocks[--recording->n];
}
