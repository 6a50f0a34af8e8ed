#include "graph/keep_variables.h"

#include "graph/partition.h"
#include "tflite/variables.h"

static bool names(const struct tvmq_record *record, const struct tvmq_variable *variable) {
  return tvmq_record_wanted(record) && record->node.handle == variable->resource;
}

static size_t count_nodes(const struct tvmq_subgraph *subgraph, const struct tvmq_variable *variable) {
  size_t n = 0;
  for (size_t i = 0; i < subgraph->n_records; i++) n += names(&subgraph->records[i], variable);
  return n;
}

// Returns the number of the partition's nodes that name the variable; 0 if they do not run in the order of the graph.
static size_t count_in_order(struct tvmq_subgraph *subgraph, const TfLiteDelegateParams *partition, const struct tvmq_variable *variable) {
  const struct tvmq_record *last = NULL;
  size_t n = 0;
  for (int i = 0; i < partition->nodes_to_replace->size; i++) {
    const struct tvmq_record *record = tvmq_subgraph_find(subgraph, partition->nodes_to_replace->data[i]);
    if (!names(record, variable)) continue;
    if (record < last) return 0;
    last = record;
    n++;
  }
  return n;
}

static const char *refuse(struct tvmq_subgraph *subgraph, const struct tvmq_variable *variable, const TfLiteDelegateParams *partitions, int n_partitions) {
  const size_t n = count_nodes(subgraph, variable);
  if (n < variable->n_nodes) return "another node of the variable is left to the runtime";
  for (int p = 0; p < n_partitions; p++) {
    if (count_in_order(subgraph, &partitions[p], variable) < n) continue;
    return tvmq_partition_outputs(&partitions[p], variable->resource) ? "the variable's handle is read outside its partition" : NULL;
  }
  return "the variable's nodes are in more than one partition";
}

bool tvmq_keep_variables(struct tvmq_subgraph *subgraph, const TfLiteDelegateParams *partitions, int n_partitions) {
  bool refused = false;
  struct tvmq_variables *variables = subgraph->variables;
  for (size_t v = 0; v < variables->n; v++) {
    struct tvmq_variable *variable = &variables->of[v];
    if (variable->reason == NULL) variable->reason = refuse(subgraph, variable, partitions, n_partitions);
    for (size_t i = 0; variable->reason != NULL && i < subgraph->n_records; i++) {
      if (!names(&subgraph->records[i], variable)) continue;
      tvmq_record_refuse(&subgraph->records[i], variable->reason);
      refused = true;
    }
    if (variable->reason != NULL && variables->once_reason == NULL) variables->once_reason = "a variable that it initializes is left to the runtime";
  }
  for (size_t i = 0; variables->once_reason != NULL && i < subgraph->n_records; i++) {
    struct tvmq_record *record = &subgraph->records[i];
    if (!tvmq_record_wanted(record) || record->node.kind->state != TVMQ_STATE_FIRST_VALUES) continue;
    tvmq_record_refuse(record, variables->once_reason);
    refused = true;
  }
  return refused;
}
