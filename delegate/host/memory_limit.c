#include "host/memory_limit.h"

#include "base/arith.h"
#include "graph/partition.h"

size_t tvmq_packed_bytes_of(const struct tvmq_record *record) { return record->planned ? (size_t)record->info.packed_bytes : 0; }

size_t tvmq_packed_bytes(const struct tvmq_delegate *delegate) {
  size_t bytes = 0;
  for (const struct tvmq_subgraph *s = delegate->subgraphs; s != NULL; s = s->next) {
    for (size_t i = 0; i < s->n_records; i++) bytes += tvmq_packed_bytes_of(&s->records[i]);
  }
  return bytes;
}

// Returns the bytes of the arena that the partition with the largest tensors needs.
static size_t arena_bytes(const struct tvmq_delegate *delegate) {
  size_t bytes = 0;
  for (const struct tvmq_subgraph *s = delegate->subgraphs; s != NULL; s = s->next) {
    for (const struct tvmq_partition *p = s->partitions; p != NULL; p = p->next) bytes = tvmq_max(bytes, p->arena_bytes);
  }
  return bytes;
}

void tvmq_memory_drop_partitions(struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph) {
  while (subgraph->partitions != NULL) tvmq_partition_destroy(subgraph->partitions);
  struct tvmq_scratch smaller = {0}, *arena = &delegate->arena.scratch;
  const size_t bytes = arena_bytes(delegate);
  if (bytes >= arena->size || !tvmq_scratch_reserve(&smaller, bytes, 0, 0)) return;
  tvmq_scratch_free(arena);
  *arena = smaller;
}

void tvmq_memory_allow(struct tvmq_delegate *delegate, const struct tvmq_record *record, size_t packed_bytes) {
  if (delegate->memory_limit == 0) return;
  const size_t limit = delegate->memory_limit, held = packed_bytes - tvmq_packed_bytes_of(record) + arena_bytes(delegate);
  delegate->weights = (struct tvmq_weight_budget){.left = limit > held ? limit - held : 0};
}

bool tvmq_memory_exceeded(const struct tvmq_delegate *delegate) {
  return delegate->memory_limit > 0 && tvmq_packed_bytes(delegate) + arena_bytes(delegate) > delegate->memory_limit;
}

// Releases the subgraph's nodes that use Winograd, so that they are planned again.
static void give_up_winograd(struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph) {
  delegate->transformed.limit = 0;
  for (size_t i = 0; i < subgraph->n_records; i++) {
    struct tvmq_record *record = &subgraph->records[i];
    struct tvmq_op_info info = {0};
    if (record->op != NULL && record->planned) record->implementation->info(record->op, &info);
    if (info.transformed_bytes > 0) tvmq_record_release(record);
  }
  tvmq_log(delegate->options.log_severity, TVMQ_LOG_INFO, "memory_megabytes is reached: winograd is not used in subgraph %d", subgraph->index);
}

// Returns the node with the most packed weights, or among those that may still become narrow. NULL: there is none.
// refused: the node whose weights have just been refused, or NULL.
static struct tvmq_record *largest(const struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph, struct tvmq_record *refused, bool may_narrow) {
  struct tvmq_record *found = refused != NULL && !(may_narrow && refused->narrow) ? refused : NULL;
  size_t most = found != NULL ? delegate->weights.refused : 0;
  for (size_t i = 0; i < subgraph->n_records; i++) {
    struct tvmq_record *record = &subgraph->records[i];
    if (!tvmq_record_wanted(record) || (may_narrow && record->narrow) || tvmq_packed_bytes_of(record) <= most) continue;
    most = tvmq_packed_bytes_of(record);
    found = record;
  }
  return found;
}

bool tvmq_memory_give_up(struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph, struct tvmq_record *refused) {
  if (delegate->transformed.limit > 0 && delegate->options.winograd != TVMQ_WINOGRAD_OFF) {
    give_up_winograd(delegate, subgraph);
    return true;
  }
  struct tvmq_record *record = largest(delegate, subgraph, refused, true);
  if (record != NULL) {
    record->narrow = true;
    tvmq_record_release(record);
    return true;
  }
  record = largest(delegate, subgraph, refused, false);
  if (record != NULL) tvmq_record_refuse(record, tvmq_no_room);
  return record != NULL;
}

void tvmq_memory_leave_arena(struct tvmq_subgraph *subgraph) {
  const struct tvmq_partition *largest = subgraph->partitions;
  for (const struct tvmq_partition *p = largest; p != NULL; p = p->next) largest = p->arena_bytes > largest->arena_bytes ? p : largest;
  for (size_t i = 0; largest != NULL && i < largest->n; i++)
    tvmq_record_refuse(largest->steps[i].record, "memory_megabytes is reached by the tensors between nodes");
}
