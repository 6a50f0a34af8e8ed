// Decides which of the claimable nodes go into a partition.
#pragma once

#include "host/delegate.h"

// Plans the operators of the subgraph's wanted nodes, creates their partitions and lists the nodes in `nodes`, which
// has room for all nodes of the subgraph. Refuses, with a reason, nodes that exceed the options' limits or the memory.
void tvmq_place(struct tvmq_delegate *delegate, TfLiteContext *context, struct tvmq_subgraph *subgraph, TfLiteIntArray *nodes);

// Returns whether a partition saves more time than its borders cost. n: its nodes. n_light: those that the runtime
// computes as fast as memory allows. n_all: nodes of the subgraph. A partition with only light nodes saves nothing,
// while at each border the runtime calls the delegate and its own fusions end. A partition of the whole subgraph has no
// border.
static inline bool tvmq_partition_pays(size_t n, size_t n_light, size_t n_all) { return n_light < n || n == n_all; }
