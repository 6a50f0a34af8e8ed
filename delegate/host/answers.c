// Uses a pthread key instead of C's thread-local storage, which Android supports only from API level 29 on.
#include "host/answers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void make_key(void) { have_key = pthread_key_create(&key, free) == 0; }

struct tvmq_answers *tvmq_answers(void) {
  pthread_once(&once, make_key);
  if (!have_key) return NULL;
  struct tvmq_answers *answers = pthread_getspecific(key);
  if (answers != NULL) return answers;
  answers = tvmq_alloc_foreign(sizeof *answers);
  if (answers != NULL && pthread_setspecific(key, answers) == 0) return answers;
  free(answers);
  return NULL;
}
