// Blocks the signals that kill a process because of a write: SIGPIPE (the pipe has no reader) and SIGXFSZ
// (RLIMIT_FSIZE). Between hold and release, which the same thread must call, such a write only fails with EPIPE or
// EFBIG. The host's signal handlers stay unchanged.
#pragma once

#include <signal.h>

struct tvmq_write_signals {
  sigset_t mask;  // the thread's previous signal mask
  sigset_t ours;  // signals that were not pending before
};

void tvmq_write_signals_hold(struct tvmq_write_signals *signals);

// Discards the signals that were raised since hold, and restores the thread's signal mask.
void tvmq_write_signals_release(const struct tvmq_write_signals *signals);
