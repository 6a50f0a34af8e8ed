#include "host/options.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cpu/cpu.h"
#include "cpu/machine.h"
#include "cpu/ops/op.h"
#include "host/option_kinds.h"

static char isa_names[128];      // "auto|" and the names of tvmq_isas
static char machine_names[256];  // "none|" and the names of tvmq_machines

static const struct row {
  struct tvmq_option_info info;
  size_t offset;  // into struct tvmq_options
} rows[] = {
    {{.name = "num_threads",
      .kind = "int",
      .names = "auto",
      .default_value = "-1",
      .help = "threads that share an operator, limited to the processors that the process may use; below 1: the "
              "interpreter's num_threads; auto: the fast cores within the quota, or one thread where that is measured to "
              "be faster",
      .min = TVMQ_THREADS_AUTO + 1,
      .max = INT_MAX},
     offsetof(struct tvmq_options, num_threads)},
    {{.name = "cpu_affinity",
      .kind = "cpus",
      .names = "",
      .default_value = "any",
      .help = "processors that all threads, including the caller's, run on during an inference, such as 4-7 or 0+2; "
              "any: no restriction"},
     offsetof(struct tvmq_options, cpu_affinity)},
    {{.name = "rounding",
      .kind = "name",
      .names = TVMQ_ROUNDING_NAMES,
      .default_value = "reference",
      .help = "how results are scaled down: reference: as in TFLite's reference kernels; upward: with ties rounded "
              "up; single: rounded only once"},
     offsetof(struct tvmq_options, rounding)},
    {{.name = "fully_connected",
      .kind = "name",
      .names = "auto|fixed_point|float64",
      .default_value = "auto",
      .help = "how the runtime's reference kernels scale sums of FULLY_CONNECTED: float64 in LiteRT, fixed_point in "
              "tflite-runtime; auto: as known of the runtime's build, otherwise unknown"},
     offsetof(struct tvmq_options, kernels.fully_connected)},
    {{.name = "fast_math",
      .kind = "name",
      .names = "auto|off|on",
      .default_value = "auto",
      .help = "whether the runtime was compiled with unsafe math optimizations, as tflite-runtime is for Arm; nodes "
              "that depend on them are left to the runtime; auto: as known of the runtime's build, otherwise off"},
     offsetof(struct tvmq_options, kernels.fast_math)},
    {{.name = "hybrid",
      .kind = "name",
      .names = "auto|neon|sse|portable",
      .default_value = "auto",
      .help = "how the runtime's kernels compute float32 activations with int8 weights: with NEON helpers, with NEON "
              "helpers translated to SSE, or with portable C; auto: as known of the runtime's build, otherwise unknown"},
     offsetof(struct tvmq_options, kernels.hybrid)},
    {{.name = "float32",
      .kind = "name",
      .names = "auto|library|packets|fused",
      .default_value = "auto",
      .help = "how the runtime's kernels compute GELU of float32: with the C library's erfcf, as tflite-runtime does, or "
              "with approximations in packets of four elements, as LiteRT does, fused on Arm; fused also says how products "
              "of float32 are added; auto: as known of the runtime's build, otherwise unknown"},
     offsetof(struct tvmq_options, kernels.float32)},
    {{.name = "isa",
      .kind = "name",
      .names = isa_names,
      .default_value = "auto",
      .help = "restrict the kernels to this instruction set; auto: everything that the CPU offers"},
     offsetof(struct tvmq_options, isa)},
    {{.name = "tune",
      .kind = "name",
      .names = "auto|in_order|out_of_order",
      .default_value = "auto",
      .help = "choose kernels for in-order or out-of-order cores; auto: in_order if all cores that the process may "
              "use are. Results are the same"},
     offsetof(struct tvmq_options, tune)},
    {{.name = "machine",
      .kind = "path",
      .names = "",
      .default_value = "auto",
      .help = "costs that decide the choice of kernels: a file written by tvmq calibrate, or the name of a known "
              "machine; auto: the known machine closest to this CPU, or in Python the file for this CPU in the "
              "user's cache folder. Results are the same"},
     offsetof(struct tvmq_options, machine)},
    {{.name = "estimate",
      .kind = "name",
      .names = machine_names,
      .default_value = "none",
      .help = "plan for another kind of core and estimate the time of each node on it; inferences fail"},
     offsetof(struct tvmq_options, estimate)},
    {{.name = "winograd",
      .kind = "name",
      .names = TVMQ_WINOGRAD_NAMES,
      .default_value = "auto",
      .help = "use Winograd's algorithm, which needs fewer multiplications (3x3: a quarter), for convolutions of "
              "stride 1: auto: where it is faster; on: wherever it is exact. Results are the same"},
     offsetof(struct tvmq_options, winograd)},
    {{.name = "winograd_megabytes",
      .kind = "int",
      .names = "",
      .default_value = "256",
      .help = "memory limit for weights transformed by winograd, which take eight times the bytes for 3x3 filters; "
              "operators beyond the limit do not use it",
      .min = 0,
      .max = 1 << 20},
     offsetof(struct tvmq_options, winograd_megabytes)},
    {{.name = "memory_megabytes",
      .kind = "int",
      .names = "",
      .default_value = "0",
      .help = "memory limit for packed weights and the arena together, when the delegate is applied; 0: none. Beyond it, "
              "winograd is given up first, then packings of two bytes for each weight, then the nodes with the most weights, which are left to the runtime",
      .min = 0,
      .max = 1 << 20},
     offsetof(struct tvmq_options, memory_megabytes)},
    {{.name = "tuning_records",
      .kind = "path",
      .names = "",
      .default_value = "none",
      .help = "files written by tvmq tune, separated by colons: nodes with a record for this CPU and number of "
              "threads use its choice, which was measured to be fastest. Results are the same"},
     offsetof(struct tvmq_options, tuning_records)},
    {{.name = "weight_cache",
      .kind = "path",
      .names = "",
      .default_value = "none",
      .help = "file that keeps packed weights between runs of the program; it is created if it does not exist. "
              "Results are the same"},
     offsetof(struct tvmq_options, weight_cache)},
    {{.name = "constants",
      .kind = "name",
      .names = "assume|verify",
      .default_value = "assume",
      .help = "whether constants keep their contents between preparations of the graph: assume: "
              "they do; verify: each inference checks them, for programs that change them at run time"},
     offsetof(struct tvmq_options, constants)},
    {{.name = "backend",
      .kind = "name",
      .names = "cpu|opencl",
      .default_value = "cpu",
      .help = "what computes the partitions. opencl: a GPU computes those whose nodes it can all compute, and the CPU the "
              "others, or everything if no device can be used. Results are the same"},
     offsetof(struct tvmq_options, backend)},
    {{.name = "opencl_library",
      .kind = "path",
      .names = "",
      .default_value = "auto",
      .help = "OpenCL library of backend=opencl; auto: the first of the usual names, such as libOpenCL.so.1"},
     offsetof(struct tvmq_options, opencl_library)},
    {{.name = "opencl_device",
      .kind = "path",
      .names = "",
      .default_value = "auto",
      .help = "part of the name of the device of backend=opencl; auto: the first usable GPU, or else the first usable device"},
     offsetof(struct tvmq_options, opencl_device)},
    {{.name = "opencl_verify",
      .kind = "int",
      .names = "",
      .default_value = "1",
      .help = "with backend=opencl, number of first inferences of each partition that the CPU computes, too, and compares: if "
              "results differ, the CPU computes all others",
      .min = 0,
      .max = INT_MAX},
     offsetof(struct tvmq_options, opencl_verify)},
    {{.name = "profile", .kind = "bool", .names = "", .default_value = "false", .help = "measure the time of every claimed node"},
     offsetof(struct tvmq_options, profile)},
    {{.name = "require_full_delegation",
      .kind = "bool",
      .names = "",
      .default_value = "false",
      .help = "fail if a node would be left to the runtime; the error names the first such node"},
     offsetof(struct tvmq_options, require_full_delegation)},
    {{.name = "min_nodes_per_partition",
      .kind = "int",
      .names = "",
      .default_value = "0",
      .help = "leave partitions of fewer nodes to the runtime; 0: skip partitions that only convert elements, or "
              "only move or combine elements of 32 or 64 bits, because they cost more than they save",
      .min = 0,
      .max = INT_MAX},
     offsetof(struct tvmq_options, min_nodes_per_partition)},
    {{.name = "max_delegated_partitions",
      .kind = "int",
      .names = "",
      .default_value = "0",
      .help = "claim at most this many partitions of each subgraph, the largest ones; 0: all",
      .min = 0,
      .max = INT_MAX},
     offsetof(struct tvmq_options, max_delegated_partitions)},
    {{.name = "log_severity",
      .kind = "name",
      .names = "verbose|info|warning|error|silent",
      .default_value = "warning",
      .help = "minimum severity of the messages on stderr: verbose: how each node is computed, each time it is "
              "planned; info: what is claimed, and why the rest is not; warning: the delegate does less than "
              "requested; error: nothing can be claimed"},
     offsetof(struct tvmq_options, log_severity)},
};
enum { N_ROWS = sizeof rows / sizeof rows[0], KEY_SIZE = 64 };

static void join_names(void) {
  struct tvmq_text isas = {.at = isa_names, .size = sizeof isa_names}, machines = {.at = machine_names, .size = sizeof machine_names};
  tvmq_say(&isas, "auto");
  for (size_t i = 0; i < tvmq_n_isas; i++) tvmq_say(&isas, "|%s", tvmq_isas[i].name);
  tvmq_say(&machines, "none");
  for (size_t i = 0; i < tvmq_n_machines; i++) tvmq_say(&machines, "|%s", tvmq_machines[i].name);
}

const struct tvmq_option_info *tvmq_option(size_t index) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, join_names);
  return index < N_ROWS ? &rows[index].info : NULL;
}

void tvmq_option_name(const char *option, int value, char *name, size_t size) {
  name[0] = '\0';
  for (size_t i = 0; i < N_ROWS; i++) {
    struct tvmq_text text = {.at = name, .size = size};
    if (strcmp(rows[i].info.name, option) == 0) tvmq_say_name(&text, "", tvmq_option(i)->names, (size_t)value);
  }
}

// ---- messages

// Returns the edit distance of two words: the least number of characters to insert, delete or replace.
static size_t edit_distance(const char *a, const char *b) {
  size_t row[KEY_SIZE + 1];
  const size_t n = strlen(b);
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 0; a[i] != '\0'; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < n; j++) {
      const size_t replaced = diagonal + (a[i] != b[j]), shifted = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
      diagonal = row[j + 1];
      row[j + 1] = replaced < shifted ? replaced : shifted;
    }
  }
  return row[n];
}

static void unknown_key(struct tvmq_text *message, const char *key, const char *value, const char *normal) {
  tvmq_say(message, "unknown option %.100s with value '%.100s'", key, value);
  const char *lead = "; did you mean ";
  for (size_t i = 0; i < N_ROWS; i++) {
    const char *name = rows[i].info.name;
    const bool near =
        normal[0] != '\0' && (strstr(name, normal) != NULL || strstr(normal, name) != NULL || edit_distance(normal, name) <= 1 + strlen(name) / 4);
    if (!near) continue;
    tvmq_say(message, "%s%s", lead, name);
    lead = " or ";
  }
  for (size_t i = 0; i < N_ROWS; i++) tvmq_say(message, "%s%s", i == 0 ? "; options are " : ", ", rows[i].info.name);
}

static void *option_field(struct tvmq_options *options, const struct row *row) { return (char *)options + row->offset; }

static const struct row *find_row(const char *name) {
  for (size_t i = 0; i < N_ROWS; i++) {
    if (strcmp(rows[i].info.name, name) == 0) return &rows[i];
  }
  return NULL;
}

static bool parse_pair(const char *key, const char *value, struct tvmq_options *options, bool given[N_ROWS], struct tvmq_text *message) {
  char name[KEY_SIZE] = "";
  if (strlen(key) < sizeof name) strcpy(name, key);
  for (char *c = name; *c != '\0'; c++) *c = *c == '-' ? '_' : *c;

  const struct row *row = find_row(name);
  if (row == NULL) {
    unknown_key(message, key, value, name);
    return false;
  }
  if (given[row - rows]) {
    tvmq_say(message, "option %s is given twice, the second time with value '%.100s'", name, value);
    return false;
  }
  given[row - rows] = true;
  if (tvmq_option_kind(&row->info)->parse(&row->info, value, option_field(options, row))) return true;
  tvmq_say(message, "option %s cannot have the value '%.100s'; allowed: ", name, value);
  tvmq_option_kind(&row->info)->allowed(message, &row->info);
  return false;
}

bool tvmq_options_parse(const char *const *keys, const char *const *values, size_t n, struct tvmq_options *options, char text[TVMQ_OPTIONS_MESSAGE]) {
  struct tvmq_text message = {.at = text, .size = TVMQ_OPTIONS_MESSAGE};
  bool given[N_ROWS] = {false};
  text[0] = '\0';
  for (size_t i = 0; i < N_ROWS; i++) tvmq_option_kind(tvmq_option(i))->parse(tvmq_option(i), rows[i].info.default_value, option_field(options, &rows[i]));
  for (size_t i = 0; i < n; i++) {
    if (keys == NULL || values == NULL || keys[i] == NULL || values[i] == NULL) {
      tvmq_say(&message, "option %zu of %zu has no %s", i + 1, n, keys == NULL || keys[i] == NULL ? "name" : "value");
      return false;
    }
    if (!parse_pair(keys[i], values[i], options, given, &message)) return false;
  }
  return true;
}
