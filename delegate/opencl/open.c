#include "opencl/open.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl/probe.h"
#include "opencl/programs.h"
#include "opencl/self_test.h"

// An open device, and the options that it was opened with.
struct opened {
  struct tvmq_opencl_device device;
  struct opened *next;
  char *path, *name;
};

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static struct opened *all;

// Leaves the library open, because threads of its driver may still run.
static void close_device(struct tvmq_opencl_device *device) {
  tvmq_opencl_release_programs(device);
  if (device->context != NULL) device->library.call.ReleaseContext(device->context);
}

static bool open_device(struct tvmq_opencl_device *device, const char *path, const char *name, struct tvmq_text *why) {
  if (!tvmq_cl_library_open(&device->library, path, why)) return false;
  char reasons[512];
  struct tvmq_text found = {.at = reasons, .size = sizeof reasons};
  int32_t status = TVMQ_CL_SUCCESS;
  const bool usable = tvmq_opencl_probe(device, name, &found);
  if (!usable) tvmq_say(why, "%s", reasons);
  if (usable) device->context = device->library.call.CreateContext(NULL, 1, &device->device, NULL, NULL, &status);
  if (status != TVMQ_CL_SUCCESS) {
    tvmq_say(why, "%s: clCreateContext returned %d", device->name, status);
    device->context = NULL;
  }
  reasons[0] = '\0';
  found = (struct tvmq_text){.at = reasons, .size = sizeof reasons};
  if (device->context != NULL && tvmq_opencl_self_test(device, &found)) return true;
  if (device->context != NULL) tvmq_say(why, "%s: %s", device->name, reasons);
  close_device(device);
  return false;
}

static struct opened *find_opened(const char *path, const char *name) {
  struct opened *opened = all;
  while (opened != NULL && (strcmp(opened->path, path) != 0 || strcmp(opened->name, name) != 0)) opened = opened->next;
  return opened;
}

static struct opened *open_new(const char *path, const char *name, struct tvmq_text *why) {
  struct opened *const opened = tvmq_alloc_foreign(sizeof *opened + strlen(path) + 1 + strlen(name) + 1);
  if (opened == NULL) {
    tvmq_say(why, "out of memory");
    return NULL;
  }
  *opened = (struct opened){.next = all, .path = (char *)(opened + 1), .name = (char *)(opened + 1) + strlen(path) + 1};
  strcpy(opened->path, path);
  strcpy(opened->name, name);
  if (open_device(&opened->device, path, name, why)) return all = opened;
  free(opened);
  return NULL;
}

struct tvmq_opencl_device *tvmq_opencl_open(const char *path, const char *name, struct tvmq_text *why) {
  pthread_mutex_lock(&opening);
  struct opened *opened = find_opened(path, name);
  if (opened == NULL) opened = open_new(path, name, why);
  pthread_mutex_unlock(&opening);
  return opened != NULL ? &opened->device : NULL;
}
