// Ensures that either all nodes of a variable (tflite/variables.h) are claimed, or none.
#pragma once

#include "graph/graph.h"
#include "tflite/tflite_abi.h"

// Refuses all nodes of a variable if the runtime would run some of them. Also refuses them if they would not run in one
// partition, in the order of the graph. Returns true if it has refused any node.
bool tvmq_keep_variables(struct tvmq_subgraph *subgraph, const TfLiteDelegateParams *partitions, int n_partitions);
