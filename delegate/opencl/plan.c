#include "opencl/plan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"

// Returns `block`, which has *room bytes, or a copy with at least `needed`; NULL: out of memory, and the block is as it was.
static void *with_room(void *block, size_t *room, size_t needed) {
  if (needed <= *room) return block;
  size_t bytes = tvmq_max(2 * *room, 4096);
  while (bytes < needed) bytes *= 2;
  uint8_t *const larger = tvmq_alloc(bytes);
  if (larger == NULL) return NULL;
  if (*room > 0) memcpy(larger, block, *room);
  tvmq_free(block);
  *room = bytes;
  return larger;
}

void tvmq_opencl_plan_free(struct tvmq_opencl_plan *plan) {
  tvmq_free(plan->launches);
  tvmq_free(plan->constants);
  *plan = (struct tvmq_opencl_plan){0};
}

void *tvmq_opencl_constants(struct tvmq_opencl_plan *plan, size_t bytes, int32_t *offset) {
  const size_t begin = tvmq_round_up(plan->constant_bytes, TVMQ_ALIGNMENT);
  *offset = (int32_t)begin;
  plan->failed |= bytes > INT32_MAX - TVMQ_ALIGNMENT || begin + bytes > INT32_MAX - TVMQ_ALIGNMENT;
  uint8_t *const constants = plan->failed ? NULL : with_room(plan->constants, &plan->constant_room, begin + bytes);
  plan->failed |= constants == NULL;
  if (plan->failed) return NULL;
  plan->constants = constants;
  plan->constant_bytes = begin + bytes;
  return constants + begin;
}

struct tvmq_opencl_launch *tvmq_opencl_launch(struct tvmq_opencl_plan *plan, const char *kernel, enum tvmq_rounding rounding) {
  const size_t size = sizeof plan->launches[0];
  void *const launches = plan->failed ? NULL : with_room(plan->launches, &plan->launch_room, (plan->n_launches + 1) * size);
  plan->failed |= launches == NULL;
  if (plan->failed) return NULL;
  plan->launches = launches;
  struct tvmq_opencl_launch *const launch = &plan->launches[plan->n_launches++];
  *launch = (struct tvmq_opencl_launch){.kernel = kernel, .items = {1, 1, 1}, .local = {1, 1}, .step = plan->step};
  tvmq_opencl_define(launch, "ROUNDING", (int)rounding);
  tvmq_opencl_define(launch, "DOT", (int)plan->dot);
  return launch;
}

void tvmq_opencl_define(struct tvmq_opencl_launch *launch, const char *macro, int value) {
  struct tvmq_text text = {.at = launch->options, .size = sizeof launch->options, .length = strlen(launch->options)};
  tvmq_say(&text, " -D%s=%d", macro, value);
}

void tvmq_opencl_pass(struct tvmq_opencl_launch *launch, const int32_t *args, uint32_t n) {
  assert(launch->n_args + n <= TVMQ_OPENCL_ARGS);
  memcpy(launch->args + launch->n_args, args, n * sizeof args[0]);
  launch->n_args += n;
}
