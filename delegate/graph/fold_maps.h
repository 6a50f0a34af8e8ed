// A map computes several nodes in one step: each element of the output is a function of one element of one tensor, the
// root. A tensor between these nodes is computed only if another node reads it.
//
// If each output byte of a node depends on one byte, the output is looked up in a table of 256 bytes, which is computed
// when the graph is prepared. A chain of such nodes becomes one table. MUL of a float32 tensor by its LOGISTIC (SiLU) is
// one function.
#pragma once

#include "cpu/ops/op.h"
#include "graph/graph.h"
#include "tflite/tflite_abi.h"

// Finds the maps among the nodes of each partition; replaces earlier results. Records must be described.
// Returns false if out of memory.
bool tvmq_fold_maps(struct tvmq_subgraph *subgraph, const TfLiteContext *context, const struct tvmq_env *env, const TfLiteDelegateParams *partitions,
                    int n_partitions);
