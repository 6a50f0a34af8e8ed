// Options of a delegate: pairs of strings -> struct. The table of options is the only list of them; the public header enumerates it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cpu/affinity.h"
#include "operators/desc.h"
#include "tvmq_delegate.h"

enum { TVMQ_OPTION_PATH = 1024 };

// The table names a field by its offset; its kind tells the type: int, struct tvmq_cpus for kind "cpus", or characters for kind "path". What the values mean
// stands in the help texts.
struct tvmq_options {
  int num_threads;  // below 1: the interpreter's
  struct tvmq_cpus cpu_affinity;
  int rounding;         // enum tvmq_rounding
  int fully_connected;  // enum tvmq_scaling
  int fast_math;        // enum tvmq_fast_math
  int hybrid;           // enum tvmq_hybrid
  int isa;              // 0: all that the CPU offers; i: tvmq_isas[i - 1]
  int tune;             // enum tvmq_tune
  int estimate;         // 0: what runs here; i: tvmq_machines[i - 1]
  char machine[TVMQ_OPTION_PATH];
  int winograd;  // enum tvmq_winograd_use
  int winograd_megabytes;
  char tuning_records[TVMQ_OPTION_PATH];
  char weight_cache[TVMQ_OPTION_PATH];
  int constants;  // enum tvmq_constants
  int profile;
  int require_full_delegation;
  int min_nodes_per_partition;
  int max_delegated_partitions;  // 0: no limit
  int log_severity;              // enum tvmq_severity
};

// In the order of the option's names; auto is off.
enum tvmq_fast_math { TVMQ_FAST_MATH_AUTO, TVMQ_FAST_MATH_OFF, TVMQ_FAST_MATH_ON };

// Whether contents of constants are compared before each inference too, in the order of the option's names.
enum tvmq_constants { TVMQ_CONSTANTS_ASSUME, TVMQ_CONSTANTS_VERIFY };

// The machine that kernels are chosen for, in the order of the option's names.
enum tvmq_tune { TVMQ_TUNE_AUTO, TVMQ_TUNE_IN_ORDER, TVMQ_TUNE_OUT_OF_ORDER };

enum { TVMQ_OPTIONS_MESSAGE = 640 };

// Fills *options from `n` pairs, defaults first. Returns false and writes one message if a key or value is not allowed: it names both and what is.
bool tvmq_options_parse(const char *const *keys, const char *const *values, size_t n, struct tvmq_options *options, char message[TVMQ_OPTIONS_MESSAGE]);

// Returns the part of the options that is about the runtime.
struct tvmq_reference tvmq_options_reference(const struct tvmq_options *options);

// Row `index` of the table, NULL past the end.
const struct tvmq_option_info *tvmq_option(size_t index);

// The text of a value of kind "name": its place among the row's names. `size` limits the copy.
void tvmq_option_name(const char *option, int value, char *name, size_t size);
