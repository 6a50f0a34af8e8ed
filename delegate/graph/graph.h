// The delegate's record of the graphs that an interpreter offered: every node, in order of execution, and whether it is to be claimed.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "graph/record.h"
#include "tflite/node.h"

struct tvmq_partition;

struct tvmq_subgraph {
  struct tvmq_subgraph *next;
  const TfLiteContext *context;  // identity only: it is gone when the interpreter is
  int index;
  struct tvmq_partition *partitions;
  int n_partitions;                 // that the interpreter has taken
  bool failed;                      // it could not be delegated, or not be prepared: the interpreter may undo the delegation
  struct tvmq_known_shapes *known;  // of what the nodes that could be described compute
  struct tvmq_values *values;       // of what nodes compute of constants and shapes
  struct tvmq_variables *variables;
  size_t n_records;
  struct tvmq_record records[];  // in order of execution
};

// Reads every node of the execution plan and claims what can be computed exactly as the tensors are now; nothing of a graph in which a node overwrites what one
// before it reads or writes. `reference` is the runtime's. A graph that never `runs` is taken for one without nodes. NULL: out of memory.
struct tvmq_subgraph *tvmq_subgraph_create(TfLiteContext *context, int index, bool runs, const struct tvmq_reference *reference);

// Releases operators; partitions are gone by then.
void tvmq_subgraph_free(struct tvmq_subgraph *subgraph);

struct tvmq_record *tvmq_subgraph_find(struct tvmq_subgraph *subgraph, int node);  // NULL: has no such node
