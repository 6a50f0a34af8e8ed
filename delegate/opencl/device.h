// An OpenCL device on which exact kernels run, and its programs. All delegates of the process share it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "opencl/library.h"

enum { TVMQ_CL_NAME = 128, TVMQ_CL_OPTIONS = 384 };

// How kernels multiply four int8 by four others, the value of the macro DOT.
enum tvmq_cl_dot { TVMQ_CL_DOT_PLAIN, TVMQ_CL_DOT_KHRONOS, TVMQ_CL_DOT_ARM };

struct tvmq_opencl_device {
  struct tvmq_cl_library library;
  tvmq_cl_device device;
  tvmq_cl_context context;
  enum tvmq_cl_dot dot;
  size_t most_bytes;  // of a buffer
  bool is_gpu;
  char name[TVMQ_CL_NAME], driver[TVMQ_CL_NAME];
  struct tvmq_opencl_built *programs;
};
