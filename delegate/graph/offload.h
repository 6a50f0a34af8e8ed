// Plans partitions for an OpenCL device. The CPU's plan stays, and computes the partition if the device fails.
#pragma once

#include <stdbool.h>

#include "arithmetic/stage.h"
#include "base/text.h"
#include "graph/partition.h"
#include "opencl/device.h"

// Plans all steps of the partition, which must be sized up, for the device, on which each inference then runs. If the
// device cannot compute the partition, returns false and *why says why, with the node; the reports of the nodes do, too.
bool tvmq_offload(struct tvmq_partition *partition, struct tvmq_opencl_device *device, enum tvmq_rounding rounding, struct tvmq_text *why);

// Has the reports of all nodes say why the CPU computes the partition.
void tvmq_offload_refuse(const struct tvmq_partition *partition, const char *reason);
