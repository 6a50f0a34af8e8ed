#include "graph/turn_bytes.h"

#include "base/memory.h"
#include "graph/partition.h"
#include "tflite/node_kind.h"

// Tensors that must be turned together form a tree, linked by `parent`. `stays` is valid in the root: true if none of
// them is turned.
struct tensor {
  int parent;
  bool stays;
};

static bool multiplies_unsigned(uint32_t cpu) { return (cpu & (TVMQ_CPU_AVXVNNI | TVMQ_CPU_AVX512VNNI)) != 0 && (cpu & TVMQ_CPU_AMX) == 0; }

static int root_of(struct tensor *tensors, int i) {
  while (tensors[i].parent != i) i = tensors[i].parent = tensors[tensors[i].parent].parent;
  return i;
}

static void keep(struct tensor *tensors, int i) { tensors[root_of(tensors, i)].stays = true; }

static void join(struct tensor *tensors, int a, int b) {
  const int to = root_of(tensors, a), from = root_of(tensors, b);
  tensors[from].parent = to;
  tensors[to].stays |= tensors[from].stays;
}

// Applies the constraint of a record to the tensors that it reads, or to those that it writes. TVMQ_TURNS_ALL joins all
// with tensor `with`; TVMQ_TURNS_EACH leaves the first tensor free and keeps the others.
static void constrain(struct tensor *tensors, const int *list, int n, enum tvmq_turning turning, int with) {
  for (int i = 0; i < n; i++) {
    if (turning == TVMQ_TURNS_ALL)
      join(tensors, with, list[i]);
    else if (turning == TVMQ_TURNS_NONE || i > 0)
      keep(tensors, list[i]);
  }
}

static void constrain_record(struct tensor *tensors, const struct tvmq_record *record) {
  const enum tvmq_turning turning = tvmq_record_turning(record);
  const int *reads, n_reads = tvmq_record_reads(record, &reads);
  constrain(tensors, reads, n_reads, turning, record->node.out);
  constrain(tensors, record->node.outs, record->node.n_out, turning, record->node.out);
}

static void turn_record(struct tensor *tensors, struct tvmq_record *record) {
  const int *reads, n_reads = tvmq_record_reads(record, &reads);
  const struct tvmq_turns turns = {
      .in = n_reads > 0 && !tensors[root_of(tensors, reads[0])].stays,
      .out = record->node.n_out > 0 && !tensors[root_of(tensors, record->node.out)].stays,
  };
  record->planned &= turns.in == record->turns.in && turns.out == record->turns.out;
  record->turns = turns;
}

// Initially all tensors stay. Only tensors that are used inside a single partition may later be turned.
static void begin(struct tensor *tensors, const TfLiteContext *context) {
  for (size_t i = 0; i < context->tensors_size; i++) tensors[i] = (struct tensor){.parent = (int)i, .stays = true};
}

static void free_inner(struct tensor *tensors, const TfLiteContext *context, const TfLiteDelegateParams *partition, const struct tvmq_record *record,
                       bool turns) {
  for (int k = 0; k < record->node.n_out; k++) {
    const int tensor = record->node.outs[k];
    tensors[tensor].stays = !turns || tvmq_tensor_type(tvmq_tensor_at(context, tensor)) != TVMQ_TYPE_S8 || tvmq_partition_outputs(partition, tensor);
  }
}

bool tvmq_turn_bytes(struct tvmq_subgraph *subgraph, const TfLiteContext *context, const struct tvmq_env *env, const TfLiteDelegateParams *partitions,
                     int n_partitions) {
  const bool turns = multiplies_unsigned(env->cpu);
  struct tensor *tensors = tvmq_alloc(context->tensors_size * sizeof tensors[0]);
  if (tensors == NULL) return false;
  begin(tensors, context);
  for (int p = 0; p < n_partitions; p++) {
    const TfLiteIntArray *nodes = partitions[p].nodes_to_replace;
    for (int i = 0; i < nodes->size; i++) free_inner(tensors, context, &partitions[p], tvmq_subgraph_find(subgraph, nodes->data[i]), turns);
  }
  for (size_t i = 0; turns && i < subgraph->n_records; i++) {
    const struct tvmq_record *record = &subgraph->records[i];
    if (tvmq_record_wanted(record) && !record->is_border) constrain_record(tensors, record);
  }
  for (size_t i = 0; i < subgraph->n_records; i++) {
    if (tvmq_record_wanted(&subgraph->records[i])) turn_record(tensors, &subgraph->records[i]);
  }
  tvmq_free(tensors);
  return true;
}
