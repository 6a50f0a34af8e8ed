// Opens devices.
#pragma once

#include "base/text.h"
#include "opencl/device.h"

// Returns the device whose name contains `name` in the library at `path`, or the first usable GPU, or else the first
// usable device, if `name` is "auto". Both are values of options. The device has passed the self-test. On failure,
// returns NULL and *why says why.
//
// A device stays open until the process ends: drivers do not survive being closed while their threads run.
struct tvmq_opencl_device *tvmq_opencl_open(const char *path, const char *name, struct tvmq_text *why);
