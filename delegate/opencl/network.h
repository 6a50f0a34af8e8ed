// A planned partition on a device: its memory, kernels and queue.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "opencl/device.h"
#include "opencl/plan.h"

// A tensor of the runtime that the partition reads or writes, and its copy in the device's memory.
struct tvmq_opencl_border {
  size_t offset, bytes;
};

// The memory of a partition begins with the tensors that it reads, then those that it writes; the rest are tensors that
// only the device sees.
struct tvmq_opencl_memory {
  size_t in_bytes, out_bytes, bytes;  // read; written; all
  const struct tvmq_opencl_border *ins, *outs;
  size_t n_ins, n_outs;
};

struct tvmq_opencl_network;

// Makes the network. The memory's lists must outlive it. On failure, returns NULL and *why says why.
struct tvmq_opencl_network *tvmq_opencl_network_create(struct tvmq_opencl_device *device, const struct tvmq_opencl_plan *plan,
                                                       const struct tvmq_opencl_memory *memory, struct tvmq_text *why);
void tvmq_opencl_network_destroy(struct tvmq_opencl_network *network);  // NULL is fine

// Runs an inference: copies the tensors `ins` to the device, launches everything, waits once, and copies to `outs`.
// step_ns: if not NULL, the times of the steps are added to step_ns[step], and each is waited for. On failure, returns
// false, *why says why, and `outs` may hold anything.
bool tvmq_opencl_network_run(struct tvmq_opencl_network *network, const void *const *ins, void *const *outs, uint64_t *step_ns, struct tvmq_text *why);
