// The option weight_cache: packed weights and proofs in a file (packing/weight_file.h). Without one it only has the hasher that keys come from.
#pragma once

#include "ops/op.h"
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

// Writes the packed weights that the file lacks, and all proofs, if it lacks any weights.
void tvmq_weight_cache_write(struct tvmq_weight_cache *cache);

void tvmq_weight_cache_close(struct tvmq_weight_cache *cache, struct tvmq_env *env);
