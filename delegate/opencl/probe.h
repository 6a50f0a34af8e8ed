// Looks at the devices of an OpenCL library.
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "opencl/device.h"

// Fills in the device whose name contains `name`, or for "auto" the first usable GPU, or else the first usable device.
// Does not create anything. Returns false if no device can compute exactly and fast enough; *why has a reason for each.
bool tvmq_opencl_probe(struct tvmq_opencl_device *device, const char *name, struct tvmq_text *why);
