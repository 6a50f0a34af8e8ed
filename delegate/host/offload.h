// The option backend: partitions that another device computes.
#pragma once

#include <stdbool.h>

#include "graph/partition.h"
#include "host/delegate.h"

// Moves the partition, which must be sized up, to the device of the options. Otherwise the CPU computes it, and a line of
// the log and the reports of its nodes say why.
void tvmq_delegate_offload(struct tvmq_delegate *delegate, struct tvmq_partition *partition);

// Runs an inference on the other device. Returns false if the CPU must run it: there is no other device, or it failed
// and is given up, which is logged.
bool tvmq_delegate_run_offload(struct tvmq_delegate *delegate, struct tvmq_partition *partition);
