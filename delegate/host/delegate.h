// The delegate object: its members, its threads and its destruction.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "base/text.h"
#include "cpu/ops/op.h"
#include "cpu/threads/trace.h"
#include "graph/arena.h"
#include "graph/graph.h"
#include "host/options.h"
#include "host/weight_cache.h"
#include "records/records.h"
#include "tflite/tflite_abi.h"

struct tvmq_delegate {
  TfLiteDelegate base;  // data_ points to this structure
  struct tvmq_options options;
  struct tvmq_env env;
  struct tvmq_machine *own_machine;  // machine read from a file or text; NULL: env.machine is one of tvmq_machines
  struct tvmq_scratch scratch;
  struct tvmq_arena arena;
  struct tvmq_tuning_records tuned;
  struct tvmq_weight_cache weight_cache;
  struct tvmq_budget transformed;     // memory budget for weights transformed by Winograd
  size_t memory_limit;                // the option memory_megabytes in bytes; 0: none
  struct tvmq_weight_budget weights;  // what a node may take while the delegate is applied
  struct tvmq_opencl_device *opencl;  // of the option backend; NULL: not opened, or it cannot be used
  bool opencl_refused;                // opening it failed, which has been logged
  bool has_threads;                   // env.threads and trace are set up
  struct tvmq_trace *trace;           // spans of the option profile; NULL: not recorded
  char runtime[160];                  // the build that runs the main graph; "" if the options say everything
  const void *owner;                  // identifies the interpreter that the delegate serves
  struct tvmq_subgraph *subgraphs;
  size_t n_live;   // partitions that the interpreter holds
  bool destroyed;  // the user destroyed the delegate while the interpreter still held partitions

  struct tvmq_delegate_info info;
  struct tvmq_peak_info peak;
  struct tvmq_buffer_info buffer;                                    // last result of tvmq_get_buffer
  char rounding[16], machine[TVMQ_MACHINE_NAME], error[512];         // strings that `info` points to
  char fully_connected[16], fast_math[16], hybrid[16], float32[16];  // likewise
};

typedef TfLiteStatus (*tvmq_apply_fn)(TfLiteContext *context, TfLiteDelegate *base);

// Creates a delegate. On failure, returns NULL and *message says why.
struct tvmq_delegate *tvmq_delegate_create(const struct tvmq_options *options, tvmq_apply_fn apply, struct tvmq_text *message);

// Uses the machine that `text` describes (cpu/plan/machine_file.h) for later estimates and plans. On failure, changes
// nothing, returns false and *message says why.
bool tvmq_delegate_set_machine(struct tvmq_delegate *delegate, const char *text, struct tvmq_text *message);

// Destroys the delegate. Defers its release until the interpreter has freed all partitions, in case the interpreter
// outlives the delegate.
void tvmq_delegate_destroy(struct tvmq_delegate *delegate);
void tvmq_delegate_leave(struct tvmq_delegate *delegate);  // the interpreter has freed a partition

// Starts the threads and the trace that the options and the interpreter request, unless they are already set up.
void tvmq_delegate_start_threads(struct tvmq_delegate *delegate, const TfLiteContext *context);

// `drop` releases the subgraph that `link` points to, with everything it owns. `reset` releases all subgraphs and stops
// the threads.
void tvmq_delegate_drop(struct tvmq_subgraph **link);
void tvmq_delegate_reset(struct tvmq_delegate *delegate);

// `read_records` reads the files of the option tuning_records and logs what it read. `log_tuned` logs how the nodes of
// a subgraph used these records.
void tvmq_delegate_read_records(struct tvmq_delegate *delegate);
void tvmq_delegate_log_tuned(const struct tvmq_delegate *delegate, const struct tvmq_subgraph *subgraph);

// Logs how the record's node is computed.
void tvmq_delegate_log_plan(const struct tvmq_delegate *delegate, const struct tvmq_record *record);

// Returns the record of node `index`, counted over all subgraphs, or NULL past the end.
struct tvmq_record *tvmq_delegate_record(const struct tvmq_delegate *delegate, int index);

// Stores an error and reports it through the runtime. Returns kTfLiteError.
__attribute__((format(printf, 3, 4))) TfLiteStatus tvmq_delegate_fail(struct tvmq_delegate *delegate, TfLiteContext *context, const char *format, ...);
