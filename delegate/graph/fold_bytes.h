// Functions of a byte: where the output bytes of a node depend on one byte of one tensor, they are looked up in a table of 256 that is computed when the graph
// is prepared. A chain of such nodes reads one tensor, its root, and is one table: what lies between is computed only if something else reads it.
#pragma once

#include "cpu/ops/op.h"
#include "graph/graph.h"
#include "tflite/tflite_abi.h"

// Finds the functions of a byte among the nodes of each partition, anew. The records are described. False: out of memory.
bool tvmq_fold_bytes(struct tvmq_subgraph *subgraph, const TfLiteContext *context, const struct tvmq_env *env, const TfLiteDelegateParams *partitions,
                     int n_partitions);
