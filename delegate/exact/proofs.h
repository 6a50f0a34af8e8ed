// Proofs that a process has found and the next one may begin with: planes and tables of bytes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memo.h"

// A kind of proofs: where they are kept, and whether a value that comes from a file is one that the code may use.
struct tvmq_proofs {
  const char *name;
  struct tvmq_memo *memo;
  bool (*is_sound)(const void *value);
};

extern const struct tvmq_proofs tvmq_plane_proofs;  // fit_plane.h
extern const struct tvmq_proofs tvmq_table_proofs;  // float_bytes.h

// All kinds.
extern const struct tvmq_proofs *const tvmq_proofs[];
extern const size_t tvmq_n_proofs;
