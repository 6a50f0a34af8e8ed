// Functions of a byte: if each output byte of a node depends on one byte of one tensor, it is looked up in a table of
// 256 bytes. The table is computed when the graph is prepared. A chain of such nodes reads one tensor, its root, and
// becomes one table. A tensor inside the chain is computed only if another node reads it.
#pragma once

#include "cpu/ops/op.h"
#include "graph/graph.h"
#include "tflite/tflite_abi.h"

// Finds the functions of a byte among the nodes of each partition; replaces earlier results. Records must be described.
// Returns false if out of memory.
bool tvmq_fold_bytes(struct tvmq_subgraph *subgraph, const TfLiteContext *context, const struct tvmq_env *env, const TfLiteDelegateParams *partitions,
                     int n_partitions);
