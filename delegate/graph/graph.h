// Records of the graphs that an interpreter offers to the delegate: every node in order of execution, and whether the
// delegate claims it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "graph/record.h"
#include "tflite/node.h"

struct tvmq_partition;

struct tvmq_subgraph {
  struct tvmq_subgraph *next;
  const TfLiteContext *context;  // only for comparison; invalid after the interpreter is deleted
  int index;
  struct tvmq_partition *partitions;
  int n_partitions;                 // accepted by the interpreter
  bool failed;                      // delegation or preparation failed; the interpreter may undo the delegation
  struct tvmq_known_shapes *known;  // shapes of the outputs of all nodes that could be described
  struct tvmq_values *values;       // results that nodes compute from constants and shapes
  struct tvmq_variables *variables;
  size_t n_records;
  struct tvmq_record records[];  // in order of execution
};

// Reads every node of the execution plan, and claims nodes that can be computed exactly for the current tensors. Claims
// nothing if a node of the graph overwrites a tensor that an earlier node reads or writes. `reference` describes the
// runtime. A graph that never `runs` is treated as empty. Returns NULL if out of memory.
struct tvmq_subgraph *tvmq_subgraph_create(TfLiteContext *context, int index, bool runs, const struct tvmq_reference *reference);

// Releases the subgraph and its operators. Partitions must have been destroyed before.
void tvmq_subgraph_free(struct tvmq_subgraph *subgraph);

size_t tvmq_subgraph_constant_bytes(const struct tvmq_subgraph *subgraph, const TfLiteContext *context);  // returns the bytes of the claimed nodes' constants

struct tvmq_record *tvmq_subgraph_find(struct tvmq_subgraph *subgraph, int node);  // NULL: no such node
