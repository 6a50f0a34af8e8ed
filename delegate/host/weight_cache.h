// The option weight_cache: packed weights and proofs in a file (packing/weight_file.h). Without a file it only provides
// the hasher for keys.
#pragma once

#include "cpu/ops/op.h"
#include "packing/weight_list.h"

struct tvmq_weight_cache {
  const char *path;
  int log_severity;
  struct tvmq_hasher hasher;
  struct tvmq_weight_list new_weights;  // weights that are not in the file
};

// Opens the file at `path` unless it is "none", loads its proofs, and sets the members of `env` that planning needs.
// Keeps `path`, which must outlive the cache.
void tvmq_weight_cache_open(struct tvmq_weight_cache *cache, const char *path, int log_severity, struct tvmq_env *env);

// Between begin and end, while a delegate is applied, new weights are collected. At the end they are written with all
// proofs, unless `applied` is false. Weights that are packed later, for other constants or another choice, are not
// written to the file.
void tvmq_weight_cache_begin(struct tvmq_weight_cache *cache, struct tvmq_env *env);
void tvmq_weight_cache_end(struct tvmq_weight_cache *cache, struct tvmq_env *env, bool applied);

void tvmq_weight_cache_close(struct tvmq_env *env);
