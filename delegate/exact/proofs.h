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

enum { TVMQ_KINDS_OF_PROOFS = 2 };
struct tvmq_proofs tvmq_proofs(int kind);

struct tvmq_proofs tvmq_plane_proofs(void);  // fit_plane.h
struct tvmq_proofs tvmq_table_proofs(void);  // float_bytes.h
