#include "litert/live.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct entry {
  const void *delegate;
  struct entry *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;

bool tvmq_live_add(const void *delegate) {
  struct entry *entry = malloc(sizeof *entry);
  if (entry == NULL) return false;
  *entry = (struct entry){delegate, NULL};
  pthread_mutex_lock(&mutex);
  struct entry **end = &entries;
  while (*end != NULL) end = &(*end)->next;
  *end = entry;
  pthread_mutex_unlock(&mutex);
  return true;
}

void tvmq_live_remove(const void *delegate) {
  pthread_mutex_lock(&mutex);
  struct entry **at = &entries;
  while (*at != NULL && (*at)->delegate != delegate) at = &(*at)->next;
  struct entry *found = *at;
  if (found != NULL) *at = found->next;
  pthread_mutex_unlock(&mutex);
  free(found);
}

const void *tvmq_live_at(int index) {
  pthread_mutex_lock(&mutex);
  const struct entry *entry = index >= 0 ? entries : NULL;
  for (int i = 0; i < index && entry != NULL; i++) entry = entry->next;
  const void *delegate = entry != NULL ? entry->delegate : NULL;
  pthread_mutex_unlock(&mutex);
  return delegate;
}
