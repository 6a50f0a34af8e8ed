// Lets an extension module of one Python load in the next one, for LD_PRELOAD: pybind11 compares versions, and 3.13 has renamed a function of 3.12. The
// answers of its kernels do not depend on Python. A module that cannot live there ends the process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const char *Py_GetVersion(void);
void *_PyThreadState_UncheckedGet(void);

const char *Py_GetVersion(void) {
  static char text[64];
  const char *version = getenv("TVMQ_PYTHON_VERSION");
  snprintf(text, sizeof text, "%s.0 (main, Jan  1 2024, 00:00:00) [GCC 12.2.0]", version != NULL ? version : "0.0");
  return text;
}

void *_PyThreadState_UncheckedGet(void) {
  void *(*get)(void) = (void *(*)(void))dlsym(RTLD_NEXT, "_PyThreadState_UncheckedGet");
  if (get == NULL) get = (void *(*)(void))dlsym(RTLD_NEXT, "PyThreadState_GetUnchecked");
  return get();
}
