// Programs of a device, built once and kept.
#pragma once

#include "base/text.h"
#include "opencl/device.h"

// Returns a new kernel: that of the embedded source `name` (kernels/opencl/<name>.cl), built with these options, or an
// earlier build. Options that fill a buffer of TVMQ_CL_OPTIONS bytes may have been cut off, and are refused. On failure,
// returns NULL and *why says why. Threads may call it at the same time.
tvmq_cl_kernel tvmq_opencl_kernel(struct tvmq_opencl_device *device, const char *name, const char *options, struct tvmq_text *why);

void tvmq_opencl_release_programs(struct tvmq_opencl_device *device);
