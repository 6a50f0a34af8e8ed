// The option weight_cache: packed weights and proofs in a file (packing/weight_file.h). Without one it only has the hasher that keys come from.
#pragma once

#include "cpu/ops/op.h"
#include "packing/weight_list.h"

struct tvmq_weight_cache {
  const char *path;
  int log_severity;
  struct tvmq_hasher hasher;
  struct tvmq_weight_list new_weights;  // that the file lacks
};

// Opens the file of that path, which the caller keeps, unless it is "none"; from then on what the file knows is known. The environment gets what planning
// needs.
void tvmq_weight_cache_open(struct tvmq_weight_cache *cache, const char *path, int log_severity, struct tvmq_env *env);

// While a delegate is applied, weights that the file lacks are collected. At the end they are written, with all proofs, unless applying has failed; weights
// that are packed later, for other constants or another choice, go with who uses them.
void tvmq_weight_cache_begin(struct tvmq_weight_cache *cache, struct tvmq_env *env);
void tvmq_weight_cache_end(struct tvmq_weight_cache *cache, struct tvmq_env *env, bool applied);

void tvmq_weight_cache_close(struct tvmq_env *env);
