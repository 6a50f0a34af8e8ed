// Self-test of a device: what exactness rests on.
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "opencl/device.h"

// Computes a few thousand fused multiply-adds, conversions and integer products on the device and here, in every
// rounding. Returns false if a result differs or a call fails; *why says which.
bool tvmq_opencl_self_test(struct tvmq_opencl_device *device, struct tvmq_text *why);
