// The kernels' sources, embedded at build time (kernels/opencl/embed.py).
#pragma once

struct tvmq_opencl_source {
  const char *name, *text;
};

// Ends with a row without a name. "common" begins every program, and "stage" those that ask for it.
extern const struct tvmq_opencl_source tvmq_opencl_sources[];
