// Either all nodes of a variable (tflite/variables.h) are claimed, or none is.
#pragma once

#include "graph/graph.h"
#include "tflite/tflite_abi.h"

// Refuses the nodes of each variable some of whose nodes the runtime would run, or which would not run in one partition in the order of the graph. True: it
// has refused some.
bool tvmq_keep_variables(struct tvmq_subgraph *subgraph, const TfLiteDelegateParams *partitions, int n_partitions);
