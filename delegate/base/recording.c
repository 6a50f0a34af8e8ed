#include "base/recording.h"

#include <stdlib.h>

static _Thread_local struct tvmq_recording *current;

void tvmq_recording_start(struct tvmq_recording *recording) {
  *recording = (struct tvmq_recording){.complete = true};
  current = recording;
}

void tvmq_recording_stop(void) { current = NULL; }

bool tvmq_recording_is_on(void) { return current != NULL; }

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
  if (current != NULL) tvmq_recording_add(current, start, size, TVMQ_MEMORY_PLAN);
}

void tvmq_recording_note_constant(const void *start) {
  if (current != NULL) tvmq_recording_set_kind(current, start, TVMQ_MEMORY_CONSTANT);
}

void tvmq_recording_note_unread(const void *address) {
  if (current == NULL) return;
  void *list = current->unread;
  current->complete &= has_room(&list, current->n_unread, &current->unread_room, sizeof current->unread[0]);
  current->unread = list;
  if (current->complete) current->unread[current->n_unread++] = (uintptr_t)address;
}

void tvmq_recording_forget(const void *start) {
  struct tvmq_memory_block *block = current != NULL ? find(current, start) : NULL;
  if (block != NULL) *block = current->blocks[--current->n];
}
