// The option memory_megabytes: what a delegate holds, and what it gives up to hold less.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/delegate.h"

// Returns the bytes of the packed weights of a node, 0 if it is not planned, and of all nodes. Weights that nodes share are
// counted for each of them.
size_t tvmq_packed_bytes_of(const struct tvmq_record *record);
size_t tvmq_packed_bytes(const struct tvmq_delegate *delegate);

// Sets what the record may take when it is planned: everything that the other nodes leave.
void tvmq_memory_allow(struct tvmq_delegate *delegate, const struct tvmq_record *record, size_t packed_bytes);

// Gives up Winograd in the subgraph, or if that has been given up, leaves the node with the most packed weights to the
// runtime. `refused`: a node without packed weights because there was no room for them, or NULL. Returns false if there
// is nothing to give up.
bool tvmq_memory_give_up(struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph, struct tvmq_record *refused);

// Leaves the nodes of the partition that needs the largest arena to the runtime.
void tvmq_memory_leave_arena(struct tvmq_subgraph *subgraph);

// Destroys the partitions of the subgraph. The arena becomes as small as those of other subgraphs allow.
void tvmq_memory_drop_partitions(struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph);

// Returns whether the weights and the arena together exceed the limit.
bool tvmq_memory_exceeded(const struct tvmq_delegate *delegate);
