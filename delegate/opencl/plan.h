// Plan of an inference on a device: launches of kernels, one after the other, and the constants that they read.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "opencl/device.h"

enum { TVMQ_OPENCL_ARGS = 32 };

// A launch. Its kernel gets the memory of the tensors, the constants, and then `args`.
struct tvmq_opencl_launch {
  const char *kernel;             // name of the embedded source and of its kernel
  char options[TVMQ_CL_OPTIONS];  // macros of the build
  int32_t args[TVMQ_OPENCL_ARGS];
  uint32_t n_args;
  size_t items[3];  // work items that there is work for
  size_t local[2];  // work items of a group
  size_t step;      // that it belongs to
};

struct tvmq_opencl_plan {
  enum tvmq_rounding rounding;
  enum tvmq_cl_dot dot;
  size_t step;  // that launches are added for
  struct tvmq_opencl_launch *launches;
  size_t n_launches, launch_room;
  uint8_t *constants;
  size_t constant_bytes, constant_room;
  bool failed;  // out of memory, or sizes beyond 32 bits
};

// Releases what the plan has collected.
void tvmq_opencl_plan_free(struct tvmq_opencl_plan *plan);

// Returns room for `bytes` of constants and sets *offset to their place. The room holds zeros, begins at a multiple of
// 64 and stays valid until the next call. On failure, sets `failed` and returns NULL.
void *tvmq_opencl_constants(struct tvmq_opencl_plan *plan, size_t bytes, int32_t *offset);

// Appends a launch of `kernel`, whose `items` and `local` the caller sets; on failure, sets `failed` and returns NULL.
// Defines the macros ROUNDING and DOT.
struct tvmq_opencl_launch *tvmq_opencl_launch(struct tvmq_opencl_plan *plan, const char *kernel, enum tvmq_rounding rounding);

// Append a macro to the options, and an argument, of the launch. No program is built of options that do not fit.
void tvmq_opencl_define(struct tvmq_opencl_launch *launch, const char *macro, int value);
void tvmq_opencl_pass(struct tvmq_opencl_launch *launch, const int32_t *args, uint32_t n);
#define TVMQ_OPENCL_PASS(launch, ...) tvmq_opencl_pass((launch), (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t))
