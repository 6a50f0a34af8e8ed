#include "host/placement.h"

#include "graph/fold_maps.h"
#include "graph/fold_pad.h"
#include "graph/keep_variables.h"
#include "graph/partition.h"
#include "graph/turn_bytes.h"
#include "host/memory_limit.h"
#include "host/offload.h"

// The partitions that the interpreter would make of the wanted nodes.
struct preview {
  TfLiteDelegateParams *partitions;
  int n;
};

static void refuse_partition(struct tvmq_subgraph *subgraph, const TfLiteDelegateParams *partition, const char *reason) {
  for (int i = 0; i < partition->nodes_to_replace->size; i++) tvmq_record_refuse(tvmq_subgraph_find(subgraph, partition->nodes_to_replace->data[i]), reason);
}

static void list_wanted(const struct tvmq_subgraph *subgraph, TfLiteIntArray *nodes) {
  nodes->size = 0;
  for (size_t i = 0; i < subgraph->n_records; i++) {
    if (tvmq_record_wanted(&subgraph->records[i])) nodes->data[nodes->size++] = subgraph->records[i].info.node;
  }
}

// Returns the node that computes the tensor's value while the graph is planned, or NULL if there is none.
static struct tvmq_record *find_value(struct tvmq_subgraph *subgraph, int tensor) {
  if (!tvmq_values_known(subgraph->values, tensor)) return NULL;
  for (size_t i = 0; i < subgraph->n_records; i++) {
    struct tvmq_record *record = &subgraph->records[i];
    for (int k = 0; tvmq_record_wanted(record) && k < record->node.n_out; k++) {
      if (record->node.outs[k] == tensor) return record;
    }
  }
  return NULL;
}

// Leaves nodes to the runtime if they compute a value that one of the runtime's nodes reads. The runtime may then know
// the shapes that depend on the value before it runs.
static void leave_values(TfLiteContext *context, struct tvmq_subgraph *subgraph) {
  for (size_t i = subgraph->n_records; i-- > 0;) {
    TfLiteNode *node;
    TfLiteRegistration *registration;
    if (tvmq_record_wanted(&subgraph->records[i])) continue;
    if (context->GetNodeAndRegistration(context, subgraph->records[i].info.node, &node, &registration) != kTfLiteOk || node->inputs == NULL) continue;
    for (int j = 0; j < node->inputs->size; j++) {
      struct tvmq_record *record = find_value(subgraph, node->inputs->data[j]);
      if (record != NULL) tvmq_record_refuse(record, "a node left to the runtime reads this value, on which shapes depend");
    }
  }
}

// Each step of placement returns true if it refused or unfolded a node. The remaining nodes may then be partitioned
// differently, so placement starts again.

// Unfolds PADs whose output is read outside of the partition, because a folded PAD does not write its output.
static bool compute_read_outside(struct tvmq_subgraph *subgraph, const struct preview *preview) {
  bool found = false;
  for (int i = 0; i < preview->n; i++) {
    const TfLiteIntArray *nodes = preview->partitions[i].nodes_to_replace;
    for (int j = 0; j < nodes->size; j++) {
      struct tvmq_record *record = tvmq_subgraph_find(subgraph, nodes->data[j]);
      if (!record->is_border || !tvmq_partition_outputs(&preview->partitions[i], record->node.out)) continue;
      record->stays = found = true;
    }
  }
  return found;
}

// Returns why a partition with only such nodes is not worth its overhead, or NULL if the delegate computes this node
// faster than the runtime.
static const char *light(const TfLiteContext *context, const struct tvmq_record *record) {
  const struct tvmq_operator *op_def = record->node.kind->op_def;
  if (op_def->light != NULL) return op_def->light;
  return tvmq_type_bytes(tvmq_tensor_type(tvmq_tensor_at(context, record->node.out))) > sizeof(int16_t) ? op_def->light_if_wide : NULL;
}

static size_t n_light(const TfLiteContext *context, struct tvmq_subgraph *subgraph, const TfLiteIntArray *nodes) {
  size_t n = 0;
  for (int i = 0; i < nodes->size; i++) n += light(context, tvmq_subgraph_find(subgraph, nodes->data[i])) != NULL;
  return n;
}

// Refuses partitions that cost more than they save. Each node gets its own reason.
static bool refuse_unpaid(const struct tvmq_delegate *delegate, const TfLiteContext *context, struct tvmq_subgraph *subgraph, const struct preview *preview) {
  bool refused = false;
  for (int i = 0; i < preview->n && delegate->options.min_nodes_per_partition == 0; i++) {
    const TfLiteIntArray *nodes = preview->partitions[i].nodes_to_replace;
    if (tvmq_partition_pays((size_t)nodes->size, n_light(context, subgraph, nodes), subgraph->n_records)) continue;
    for (int j = 0; j < nodes->size; j++) {
      struct tvmq_record *record = tvmq_subgraph_find(subgraph, nodes->data[j]);
      tvmq_record_refuse(record, light(context, record));
    }
    refused = true;
  }
  return refused;
}

static bool refuse_small(const struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph, const struct preview *preview) {
  bool refused = false;
  for (int i = 0; i < preview->n; i++) {
    if (preview->partitions[i].nodes_to_replace->size >= delegate->options.min_nodes_per_partition) continue;
    refuse_partition(subgraph, &preview->partitions[i], "its partition has fewer nodes than min_nodes_per_partition");
    refused = true;
  }
  return refused;
}

static bool refuse_surplus(const struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph, const struct preview *preview) {
  if (delegate->options.max_delegated_partitions == 0 || preview->n <= delegate->options.max_delegated_partitions) return false;
  const TfLiteDelegateParams *smallest = &preview->partitions[0];
  for (int i = 1; i < preview->n; i++) {
    if (preview->partitions[i].nodes_to_replace->size <= smallest->nodes_to_replace->size) smallest = &preview->partitions[i];
  }
  refuse_partition(subgraph, smallest, "max_delegated_partitions is reached by larger partitions");
  return true;
}

// Plans the nodes and refuses those that tuning records leave to the runtime. With require_full_delegation it ignores
// these records, because delegation would fail.
static bool plan_nodes(struct tvmq_delegate *delegate, const TfLiteContext *context, struct tvmq_subgraph *subgraph) {
  bool refused = false;
  size_t packed_bytes = tvmq_packed_bytes(delegate);
  for (size_t i = 0; i < subgraph->n_records; i++) {
    struct tvmq_record *record = &subgraph->records[i];
    if (!tvmq_record_wanted(record)) continue;
    const size_t before = tvmq_packed_bytes_of(record);
    tvmq_memory_allow(delegate, record, packed_bytes);
    const char *reason = tvmq_record_plan(record, context, subgraph->known, &delegate->env);
    if (reason == tvmq_no_room) return tvmq_memory_give_up(delegate, subgraph, record);
    packed_bytes += tvmq_packed_bytes_of(record) - before;
    const bool left = reason == NULL && !delegate->options.require_full_delegation && tvmq_record_left(record, &delegate->env);
    if (left) reason = "a tuning record leaves it to the runtime";
    if (reason == NULL) continue;
    tvmq_record_refuse(record, reason);
    refused = true;
  }
  return refused;
}

static bool make_partitions(struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph, const struct preview *preview) {
  for (int i = 0; i < preview->n; i++) {
    struct tvmq_partition *partition = tvmq_partition_create(delegate, delegate->env.threads, &delegate->arena, subgraph, &preview->partitions[i]);
    if (partition != NULL) {
      partition->pace.wary = delegate->env.wary;
      continue;
    }
    tvmq_memory_drop_partitions(delegate, subgraph);
    refuse_partition(subgraph, &preview->partitions[i], "out of memory");
    return true;
  }
  return false;
}

// Gives up nodes if the arena, whose size is known now, does not fit beside the weights.
static bool exceed_memory(struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph) {
  if (!tvmq_memory_exceeded(delegate)) return false;
  bool given = true;
  while (given && tvmq_memory_exceeded(delegate)) given = tvmq_memory_give_up(delegate, subgraph, NULL);
  if (!given) tvmq_memory_leave_arena(subgraph);
  tvmq_memory_drop_partitions(delegate, subgraph);
  return true;
}

static void place(struct tvmq_delegate *delegate, TfLiteContext *context, struct tvmq_subgraph *subgraph, TfLiteIntArray *nodes) {
  for (;;) {
    leave_values(context, subgraph);
    tvmq_fold_pads(subgraph);
    list_wanted(subgraph, nodes);
    if (nodes->size == 0) return;
    struct preview preview;
    if (context->PreviewDelegatePartitioning(context, nodes, &preview.partitions, &preview.n) != kTfLiteOk) {
      for (int i = 0; i < nodes->size; i++) tvmq_record_refuse(tvmq_subgraph_find(subgraph, nodes->data[i]), "the runtime cannot partition the graph");
      continue;
    }
    if (compute_read_outside(subgraph, &preview) || tvmq_keep_variables(subgraph, preview.partitions, preview.n)) continue;
    // Packing is expensive, so the limits are applied first.
    if (refuse_unpaid(delegate, context, subgraph, &preview) || refuse_small(delegate, subgraph, &preview) || refuse_surplus(delegate, subgraph, &preview))
      continue;
    if (!tvmq_fold_maps(subgraph, context, &delegate->env, preview.partitions, preview.n) ||
        !tvmq_turn_bytes(subgraph, context, &delegate->env, preview.partitions, preview.n)) {
      for (int i = 0; i < preview.n; i++) refuse_partition(subgraph, &preview.partitions[i], "out of memory");
      continue;
    }
    if (plan_nodes(delegate, context, subgraph) || make_partitions(delegate, subgraph, &preview) || exceed_memory(delegate, subgraph)) continue;
    for (struct tvmq_partition *p = subgraph->partitions; p != NULL; p = p->next) tvmq_delegate_offload(delegate, p);
    return;
  }
}

void tvmq_place(struct tvmq_delegate *delegate, TfLiteContext *context, struct tvmq_subgraph *subgraph, TfLiteIntArray *nodes) {
  delegate->transformed.limit = (size_t)delegate->options.winograd_megabytes << 20;
  delegate->env.weights = delegate->memory_limit > 0 ? &delegate->weights : NULL;
  place(delegate, context, subgraph, nodes);
  delegate->env.weights = NULL;  // when tensors are resized, no node can be left to the runtime
}
