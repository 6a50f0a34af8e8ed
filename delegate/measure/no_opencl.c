// Stands in for opencl/library.c in a statically linked program, which cannot open libraries.
#include "opencl/library.h"

bool tvmq_cl_library_open(struct tvmq_cl_library *library, const char *path, struct tvmq_text *why) {
  (void)library, (void)path;
  tvmq_say(why, "a statically linked program opens no OpenCL library");
  return false;
}

void tvmq_cl_library_close(struct tvmq_cl_library *library) { (void)library; }
