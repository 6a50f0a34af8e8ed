// The signals by which the system ends a process that writes: SIGPIPE (nobody reads the pipe) and SIGXFSZ (RLIMIT_FSIZE). The host's dispositions stay as they
// are; between the two calls, in the same thread, such a write fails with EPIPE or EFBIG and does nothing else.
#pragma once

#include <signal.h>

struct tvmq_write_signals {
  sigset_t mask;  // the thread's own
  sigset_t ours;  // the signals that were not pending before
};

void tvmq_write_signals_hold(struct tvmq_write_signals *signals);

// Discards the signals that were raised meanwhile.
void tvmq_write_signals_release(const struct tvmq_write_signals *signals);
