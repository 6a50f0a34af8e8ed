// Which of the nodes that could be claimed get a place in a partition.
#pragma once

#include "host/delegate.h"

// Plans the operators of the subgraph's wanted nodes, makes their partitions and lists the nodes in `nodes`, which has room for all of the subgraph's. What
// exceeds the options' limits or the memory is refused, with its reason.
void tvmq_place(struct tvmq_delegate *delegate, TfLiteContext *context, struct tvmq_subgraph *subgraph, TfLiteIntArray *nodes);

// Whether a partition of n nodes, of which the runtime computes n_light as fast as memory is read, saves more than its borders cost in a subgraph of n_all.
// One that has only such nodes saves nothing and costs what the runtime does at each border, where its own fusions end, too; one that is all of the subgraph
// has no border.
static inline bool tvmq_partition_pays(size_t n, size_t n_light, size_t n_all) { return n_light < n || n == n_all; }
