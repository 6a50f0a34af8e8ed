// Parses the options of a delegate from pairs of strings. The table in options.c is the only list of options;
// tvmq_get_option enumerates it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cpu/affinity.h"
#include "host/option_kinds.h"
#include "operators/desc.h"
#include "tvmq_delegate.h"

// Options that describe the runtime's reference kernels, in which its versions and builds differ. 0 is the value "auto".
struct tvmq_kernel_answers {
  int fully_connected;  // enum tvmq_scaling
  int fast_math;        // enum tvmq_fast_math
  int hybrid;           // enum tvmq_hybrid
  int float32;          // enum tvmq_float32
};

// Sets the answers that are "auto" to those of `others`.
static inline void tvmq_kernel_answers_default(struct tvmq_kernel_answers *answers, const struct tvmq_kernel_answers *others) {
  if (answers->fully_connected == 0) answers->fully_connected = others->fully_connected;
  if (answers->fast_math == 0) answers->fast_math = others->fast_math;
  if (answers->hybrid == 0) answers->hybrid = others->hybrid;
  if (answers->float32 == 0) answers->float32 = others->float32;
}

// Values of the options. The table refers to each member by its offset. The option's kind determines the type: struct
// tvmq_cpus for "cpus", char array for "path", otherwise int. The help texts explain the values.
struct tvmq_options {
  int num_threads;  // below 1: the interpreter's num_threads; TVMQ_THREADS_AUTO
  struct tvmq_cpus cpu_affinity;
  int rounding;  // enum tvmq_rounding
  struct tvmq_kernel_answers kernels;
  int isa;       // 0: everything that the CPU offers; i: tvmq_isas[i - 1]
  int tune;      // enum tvmq_tune
  int estimate;  // 0: run on this machine; i: estimate for tvmq_machines[i - 1]
  char machine[TVMQ_OPTION_PATH];
  int winograd;  // enum tvmq_winograd_use
  int winograd_megabytes;
  int memory_megabytes;  // 0: no limit
  char tuning_records[TVMQ_OPTION_PATH];
  char weight_cache[TVMQ_OPTION_PATH];
  int constants;  // enum tvmq_constants
  int backend;    // enum tvmq_backend
  char opencl_library[TVMQ_OPTION_PATH];
  char opencl_device[TVMQ_OPTION_PATH];
  int opencl_verify;  // inferences
  int profile;
  int require_full_delegation;
  int min_nodes_per_partition;
  int max_delegated_partitions;  // 0: no limit
  int log_severity;              // enum tvmq_severity
};

// The value "auto" of the option num_threads, the word in front of its numbers.
enum { TVMQ_THREADS_AUTO = -2 };

// Values of the option backend, in the order of its names.
enum tvmq_backend { TVMQ_BACKEND_CPU, TVMQ_BACKEND_OPENCL };

// Values of the option fast_math, in the order of its names.
enum tvmq_fast_math { TVMQ_FAST_MATH_AUTO, TVMQ_FAST_MATH_OFF, TVMQ_FAST_MATH_ON };

// Values of the option constants, in the order of its names: whether each inference compares the contents of constants.
enum tvmq_constants { TVMQ_CONSTANTS_ASSUME, TVMQ_CONSTANTS_VERIFY };

// Values of the option tune, in the order of its names: the kind of cores that kernels are chosen for.
enum tvmq_tune { TVMQ_TUNE_AUTO, TVMQ_TUNE_IN_ORDER, TVMQ_TUNE_OUT_OF_ORDER };

enum { TVMQ_OPTIONS_MESSAGE = 640 };

// Sets *options to the defaults, then to `n` pairs of names and values. If a name or value is not allowed, returns
// false and writes a message that quotes both and lists what is allowed.
bool tvmq_options_parse(const char *const *keys, const char *const *values, size_t n, struct tvmq_options *options, char message[TVMQ_OPTIONS_MESSAGE]);

// Returns row `index` of the table, or NULL past the end.
const struct tvmq_option_info *tvmq_option(size_t index);

// Copies the name of `value`, an index among the names of `option`, to `name`, a buffer of `size` bytes.
void tvmq_option_name(const char *option, int value, char *name, size_t size);
