#include "opencl/library.h"

#include <dlfcn.h>
#include <string.h>

// Loaders that know the installed drivers come first, then drivers of Arm that are an OpenCL library themselves.
static const char *const usual[] = {"libOpenCL.so.1", "libOpenCL.so", "libOpenCL-pixel.so", "libOpenCL-car.so", "libmali.so.1", "libmali.so"};

static void *open_named(const char *path, struct tvmq_text *why) {
  void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *const error = dlerror();
    tvmq_say(why, "cannot open the OpenCL library: %.300s", error != NULL ? error : path);
  }
  return handle;
}

static void *open_usual(struct tvmq_text *why) {
  for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
    void *const handle = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL) return handle;
  }
  for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) tvmq_say(why, "%s%s", i == 0 ? "no OpenCL library is installed: " : ", ", usual[i]);
  return NULL;
}

// Returns the name of a function that the library lacks, or NULL.
static const char *look_up(struct tvmq_cl_library *library) {
#define LOOK_UP(result, name, arguments)                    \
  {                                                         \
    void *const found = dlsym(library->handle, "cl" #name); \
    if (found == NULL) return "cl" #name;                   \
    memcpy(&library->call.name, &found, sizeof found);      \
  }
  TVMQ_CL_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
  return NULL;
}

bool tvmq_cl_library_open(struct tvmq_cl_library *library, const char *path, struct tvmq_text *why) {
  library->handle = strcmp(path, "auto") == 0 ? open_usual(why) : open_named(path, why);
  if (library->handle == NULL) return false;
  const char *const missing = look_up(library);
  if (missing == NULL) return true;
  tvmq_say(why, "the OpenCL library has no %s", missing);
  tvmq_cl_library_close(library);
  return false;
}

void tvmq_cl_library_close(struct tvmq_cl_library *library) {
  dlclose(library->handle);
  library->handle = NULL;
}
