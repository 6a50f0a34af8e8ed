// Which of the nodes that could be claimed get a place in a partition.
#pragma once

#include "host/delegate.h"

// Plans the operators of the subgraph's wanted nodes, makes their partitions and lists the nodes in `nodes`, which has room for all of the subgraph's. What
// exceeds the options' limits or the memory is refused, with its reason.
void tvmq_place(struct tvmq_delegate *delegate, TfLiteContext *context, struct tvmq_subgraph *subgraph, TfLiteIntArray *nodes);
