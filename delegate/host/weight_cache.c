#include "host/weight_cache.h"

#include <string.h>

#include "base/log.h"
#include "exact/proofs.h"
#include "packing/weight_file.h"

// Returns the key of a kind of proofs. The file stores proofs like weights, with the kind's name as content.
static struct tvmq_key key_of(const struct tvmq_hasher *hasher, const struct tvmq_proofs *proofs) {
  return tvmq_content(hasher, proofs->name, strlen(proofs->name));
}

static void load_proofs(const struct tvmq_weight_cache *cache, const struct tvmq_weight_file *file) {
  for (size_t kind = 0; kind < tvmq_n_proofs; kind++) {
    const struct tvmq_proofs *proofs = tvmq_proofs[kind];
    const struct tvmq_key key = key_of(&cache->hasher, proofs);
    struct tvmq_weights found;
    if (tvmq_weight_file_find(file, &key, &found)) tvmq_memo_load(proofs->memo, found.data, found.bytes, proofs->is_sound);
  }
}

static void add_proofs(struct tvmq_weight_cache *cache) {
  for (size_t kind = 0; kind < tvmq_n_proofs; kind++) {
    const struct tvmq_proofs *proofs = tvmq_proofs[kind];
    const struct tvmq_key key = key_of(&cache->hasher, proofs);
    const size_t bytes = tvmq_memo_save(proofs->memo, NULL, 0);
    struct tvmq_packed *packed = bytes > 0 ? tvmq_packed_create(bytes, NULL) : NULL;
    if (packed == NULL) continue;
    packed->key = key;
    if (tvmq_memo_save(proofs->memo, packed->memory, bytes) >= bytes) tvmq_weight_list_add(&cache->new_weights, packed);
    tvmq_packed_release(packed);
  }
}

void tvmq_weight_cache_open(struct tvmq_weight_cache *cache, const char *path, int log_severity, struct tvmq_env *env) {
  const char *why = NULL;
  uint64_t seed[2];
  tvmq_process_seed(seed);
  cache->path = path;
  cache->log_severity = log_severity;
  if (strcmp(path, "none") != 0) env->weight_file = tvmq_weight_file_open(path, &why);
  if (why != NULL) tvmq_log(log_severity, TVMQ_LOG_WARNING, "weight_cache: cannot read %s: %s", path, why);
  tvmq_hasher_init(&cache->hasher, env->weight_file != NULL ? tvmq_weight_file_hasher(env->weight_file)->seed : seed);
  env->hasher = &cache->hasher;
  if (env->weight_file != NULL) load_proofs(cache, env->weight_file);
}

static void write_new(struct tvmq_weight_cache *cache) {
  add_proofs(cache);
  const char *why = tvmq_weight_file_write(cache->path, &cache->hasher, cache->new_weights.list, cache->new_weights.n);
  if (why != NULL) tvmq_log(cache->log_severity, TVMQ_LOG_WARNING, "weight_cache: cannot write %s: %s", cache->path, why);
}

void tvmq_weight_cache_begin(struct tvmq_weight_cache *cache, struct tvmq_env *env) {
  if (strcmp(cache->path, "none") != 0) env->new_weights = &cache->new_weights;
}

void tvmq_weight_cache_end(struct tvmq_weight_cache *cache, struct tvmq_env *env, bool applied) {
  if (applied && cache->new_weights.n > 0) write_new(cache);
  tvmq_weight_list_clear(&cache->new_weights);
  env->new_weights = NULL;
}

void tvmq_weight_cache_close(struct tvmq_env *env) {
  tvmq_weight_file_release(env->weight_file);
  env->weight_file = NULL;
}
