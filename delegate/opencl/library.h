// The OpenCL library, opened at run time.
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "opencl/opencl_abi.h"

struct tvmq_cl_library {
  void *handle;
  struct tvmq_cl call;
};

// Opens the library at `path`; "auto": the first of the usual names that can be opened. On failure, returns false and
// *why says why.
bool tvmq_cl_library_open(struct tvmq_cl_library *library, const char *path, struct tvmq_text *why);
void tvmq_cl_library_close(struct tvmq_cl_library *library);
