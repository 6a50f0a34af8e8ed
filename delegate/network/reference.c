#include "network/reference.h"

#include <string.h>

#include "base/memory.h"
#include "cpu/cpu.h"
#include "cpu/machine.h"

// How reference kernels differ (docs/exactness.md).
static const struct runtime {
  const char *name;
  struct tvmq_kernel_answers on_arm, on_x86;
} runtimes[] = {
    {.name = "litert",
     .on_arm = {TVMQ_SCALING_FLOAT64, TVMQ_FAST_MATH_OFF, TVMQ_HYBRID_NEON, TVMQ_FLOAT32_FUSED},
     .on_x86 = {TVMQ_SCALING_FLOAT64, TVMQ_FAST_MATH_OFF, TVMQ_HYBRID_SSE, TVMQ_FLOAT32_PACKETS}},
    {.name = "tflite",
     .on_arm = {TVMQ_SCALING_FIXED_POINT, TVMQ_FAST_MATH_ON, TVMQ_HYBRID_UNKNOWN, TVMQ_FLOAT32_UNKNOWN},
     .on_x86 = {TVMQ_SCALING_FIXED_POINT, TVMQ_FAST_MATH_OFF, TVMQ_HYBRID_PORTABLE, TVMQ_FLOAT32_LIBRARY}},
};
enum { N_RUNTIMES = sizeof runtimes / sizeof runtimes[0] };

static const struct runtime *find_runtime(const char *name, struct tvmq_text *why) {
  for (size_t i = 0; i < N_RUNTIMES; i++) {
    if (strcmp(runtimes[i].name, name) == 0) return &runtimes[i];
  }
  tvmq_say(why, "option runtime cannot have the value '%.100s'; allowed: ", name);
  for (size_t i = 0; i < N_RUNTIMES; i++) tvmq_say(why, "%s%s", i == 0 ? "" : ", ", runtimes[i].name);
  return NULL;
}

// Returns the answers of the runtime on the processor that the options plan for.
static const struct tvmq_kernel_answers *answers_of(const struct runtime *runtime, const struct tvmq_options *options) {
  const uint32_t cpu = options->estimate > 0 ? tvmq_machines[options->estimate - 1].cpu : tvmq_cpu_detect();
  return (cpu & TVMQ_CPU_NEON) != 0 ? &runtime->on_arm : &runtime->on_x86;
}

// Copies the pairs that are the delegate's to `own`, names first, and finds the runtime. Returns the number of pairs
// copied; SIZE_MAX on failure.
static size_t pick(const char *const *keys, const char *const *values, size_t n, const char **own, const struct runtime **runtime, struct tvmq_text *why) {
  size_t n_own = 0;
  for (size_t i = 0; i < n; i++) {
    if (keys[i] == NULL || values[i] == NULL || strcmp(keys[i], "runtime") != 0) {
      own[n_own] = keys[i];
      own[n + n_own++] = values[i];
      continue;
    }
    if (*runtime != NULL) tvmq_say(why, "option runtime is given twice, the second time with value '%.100s'", values[i]);
    *runtime = *runtime == NULL ? find_runtime(values[i], why) : NULL;
    if (*runtime == NULL) return SIZE_MAX;
  }
  if (*runtime == NULL) *runtime = &runtimes[0];
  return n_own;
}

bool tvmq_network_options(const char *const *keys, const char *const *values, size_t n, struct tvmq_options *options, struct tvmq_text *why) {
  char message[TVMQ_OPTIONS_MESSAGE] = "";
  const struct runtime *runtime = NULL;
  const bool complete = n == 0 || (keys != NULL && values != NULL);
  const char **own = complete ? tvmq_alloc(2 * n * sizeof own[0]) : NULL;
  if (own == NULL) {
    tvmq_say(why, complete ? "out of memory" : "there are options without names or values");
    return false;
  }
  const size_t n_own = pick(keys, values, n, own, &runtime, why);
  const bool parsed = n_own != SIZE_MAX && tvmq_options_parse(own, own + n, n_own, options, message);
  tvmq_say(why, "%s", message);
  tvmq_free(own);
  if (!parsed) return false;
  tvmq_kernel_answers_default(&options->kernels, answers_of(runtime, options));
  options->require_full_delegation = true;
  options->min_nodes_per_partition = options->max_delegated_partitions = 0;
  return true;
}
