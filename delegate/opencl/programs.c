#include "opencl/programs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl/source.h"

// A program that has been built, kept as long as its device.
struct tvmq_opencl_built {
  struct tvmq_opencl_built *next;
  const char *name;
  char options[TVMQ_CL_OPTIONS];
  tvmq_cl_program program;
};

static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;

static tvmq_cl_program find_program(const struct tvmq_opencl_device *device, const char *name, const char *options) {
  for (const struct tvmq_opencl_built *built = device->programs; built != NULL; built = built->next) {
    if (strcmp(built->name, name) == 0 && strcmp(built->options, options) == 0) return built->program;
  }
  return NULL;
}

static const struct tvmq_opencl_source *find_source(const char *name) {
  const struct tvmq_opencl_source *source = tvmq_opencl_sources;
  while (strcmp(source->name, name) != 0) source++;
  return source;
}

static void say_log(const struct tvmq_opencl_device *device, tvmq_cl_program program, struct tvmq_text *why) {
  char log[400] = "";
  size_t needed = 0;
  device->library.call.GetProgramBuildInfo(program, device->device, TVMQ_CL_PROGRAM_BUILD_LOG, 0, NULL, &needed);
  char *const text = needed > 0 ? tvmq_alloc(needed + 1) : NULL;
  if (text != NULL && device->library.call.GetProgramBuildInfo(program, device->device, TVMQ_CL_PROGRAM_BUILD_LOG, needed, text, NULL) == TVMQ_CL_SUCCESS)
    tvmq_say_escaped(&(struct tvmq_text){.at = log, .size = sizeof log}, text);
  tvmq_free(text);
  if (log[0] != '\0') tvmq_say(why, ": %s", log);
}

// Builds a program. No option allows the compiler to change the result of a float operation.
static tvmq_cl_program build(const struct tvmq_opencl_device *device, const char *name, const char *options, struct tvmq_text *why) {
  const struct tvmq_cl *const cl = &device->library.call;
  const char *texts[] = {find_source("common")->text, find_source("stage")->text, find_source(name)->text};
  int32_t status;
  tvmq_cl_program program = cl->CreateProgramWithSource(device->context, sizeof texts / sizeof texts[0], texts, NULL, &status);
  if (status != TVMQ_CL_SUCCESS || program == NULL) {
    tvmq_say(why, "clCreateProgramWithSource returned %d", status);
    return NULL;
  }
  char all_options[TVMQ_CL_OPTIONS + 64];
  struct tvmq_text text = {.at = all_options, .size = sizeof all_options};
  tvmq_say(&text, "-cl-std=%s%s", device->dot == TVMQ_CL_DOT_KHRONOS ? "CL3.0" : "CL1.2", options);
  status = cl->BuildProgram(program, 1, &device->device, all_options, NULL, NULL);
  if (status == TVMQ_CL_SUCCESS) return program;
  tvmq_say(why, "kernel %s cannot be built (%d)", name, status);
  say_log(device, program, why);
  cl->ReleaseProgram(program);
  return NULL;
}

// Returns the program of an earlier build, or of a new one, which is kept.
static tvmq_cl_program program_of(struct tvmq_opencl_device *device, const char *name, const char *options, struct tvmq_text *why) {
  tvmq_cl_program program = find_program(device, name, options);
  if (program != NULL) return program;
  struct tvmq_opencl_built *const built = tvmq_alloc_foreign(sizeof *built);
  if (built == NULL) tvmq_say(why, "out of memory");
  if (built != NULL) program = build(device, name, options, why);
  if (program == NULL) {
    free(built);
    return NULL;
  }
  *built = (struct tvmq_opencl_built){.next = device->programs, .name = find_source(name)->name, .program = program};
  strcpy(built->options, options);
  device->programs = built;
  return program;
}

tvmq_cl_kernel tvmq_opencl_kernel(struct tvmq_opencl_device *device, const char *name, const char *options, struct tvmq_text *why) {
  if (strlen(options) + 1 >= TVMQ_CL_OPTIONS) {
    tvmq_say(why, "the options of kernel %s are too long", name);
    return NULL;
  }
  pthread_mutex_lock(&building);
  tvmq_cl_program program = program_of(device, name, options, why);
  int32_t status = TVMQ_CL_SUCCESS;
  tvmq_cl_kernel kernel = program != NULL ? device->library.call.CreateKernel(program, name, &status) : NULL;
  pthread_mutex_unlock(&building);
  if (status != TVMQ_CL_SUCCESS) tvmq_say(why, "clCreateKernel returned %d", status);
  return status == TVMQ_CL_SUCCESS ? kernel : NULL;
}

void tvmq_opencl_release_programs(struct tvmq_opencl_device *device) {
  for (struct tvmq_opencl_built *next, *built = device->programs; built != NULL; built = next) {
    next = built->next;
    device->library.call.ReleaseProgram(built->program);
    free(built);
  }
  device->programs = NULL;
}
