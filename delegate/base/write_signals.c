#define _GNU_SOURCE
#include "base/write_signals.h"

#include <stddef.h>
#include <time.h>

void tvmq_write_signals_hold(struct tvmq_write_signals *signals) {
  static const int numbers[] = {SIGPIPE, SIGXFSZ};
  sigset_t all, pending;
  sigemptyset(&all);
  sigemptyset(&pending);
  sigemptyset(&signals->ours);
  sigpending(&pending);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    sigaddset(&all, numbers[i]);
    if (!sigismember(&pending, numbers[i])) sigaddset(&signals->ours, numbers[i]);
  }
  pthread_sigmask(SIG_BLOCK, &all, &signals->mask);
}

void tvmq_write_signals_release(const struct tvmq_write_signals *signals) {
  static const struct timespec no_wait = {0};
  while (sigtimedwait(&signals->ours, NULL, &no_wait) > 0) continue;
  pthread_sigmask(SIG_SETMASK, &signals->mask, NULL);
}
