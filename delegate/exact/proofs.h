// Proofs that one process has found and a later process may reuse: planes and tables of bytes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memo.h"

// Kind of proofs: the memo that holds them, and a check that a value read from a file is safe to use.
struct tvmq_proofs {
  const char *name;
  struct tvmq_memo *memo;
  bool (*is_sound)(const void *value);
};

extern const struct tvmq_proofs tvmq_plane_proofs;  // fit_plane.h
extern const struct tvmq_proofs tvmq_table_proofs;  // float_bytes.h

// All kinds of proofs.
extern const struct tvmq_proofs *const tvmq_proofs[];
extern const size_t tvmq_n_proofs;
