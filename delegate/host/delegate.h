// The delegate object: what it holds, its threads, and the end of its life.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "base/text.h"
#include "cpu/ops/op.h"
#include "cpu/threads/trace.h"
#include "graph/graph.h"
#include "host/options.h"
#include "host/weight_cache.h"
#include "records/records.h"
#include "tflite/tflite_abi.h"

struct tvmq_delegate {
  TfLiteDelegate base;  // data_ points back at this struct
  struct tvmq_options options;
  struct tvmq_env env;
  struct tvmq_machine *own_machine;  // that has been read; NULL: env's is one of tvmq_machines
  struct tvmq_scratch scratch;
  struct tvmq_tuning_records tuned;
  struct tvmq_weight_cache weight_cache;
  struct tvmq_budget transformed;  // weights, by Winograd
  bool has_threads;                // env.threads and trace are what they will be
  struct tvmq_trace *trace;        // with the option profile; NULL: not recorded
  const void *owner;               // identifies the interpreter that it serves
  struct tvmq_subgraph *subgraphs;
  size_t n_live;   // partitions that the interpreter holds
  bool destroyed;  // by its user, while the interpreter still held partitions

  struct tvmq_delegate_info info;
  struct tvmq_peak_info peak;
  struct tvmq_buffer_info buffer;                             // the last one asked for
  char rounding[16], machine[TVMQ_MACHINE_NAME], error[512];  // what info's strings point at
};

typedef TfLiteStatus (*tvmq_apply_fn)(TfLiteContext *context, TfLiteDelegate *base);

// NULL: *message says why.
struct tvmq_delegate *tvmq_delegate_create(const struct tvmq_options *options, tvmq_apply_fn apply, struct tvmq_text *message);

// Its candidates are estimated, and its nodes planned, for the machine that a text describes (cpu/plan/machine_file.h). False, and *message says why: it stays
// as it is.
bool tvmq_delegate_set_machine(struct tvmq_delegate *delegate, const char *text, struct tvmq_text *message);

// Waits with the release until the interpreter has given back its partitions, should it outlive the delegate.
void tvmq_delegate_destroy(struct tvmq_delegate *delegate);
void tvmq_delegate_leave(struct tvmq_delegate *delegate);  // the interpreter gives back a partition

// Starts threads and trace as options and interpreter want them, unless that was done.
void tvmq_delegate_start_threads(struct tvmq_delegate *delegate, const TfLiteContext *context);

// Lets go what belongs to a subgraph, which `link` points at; or to all of them, and the threads.
void tvmq_delegate_drop(struct tvmq_subgraph **link);
void tvmq_delegate_reset(struct tvmq_delegate *delegate);

// Reads what the option tuning_records names, and says what came of it; afterwards, what came of it for the nodes of a subgraph.
void tvmq_delegate_read_records(struct tvmq_delegate *delegate);
void tvmq_delegate_log_tuned(const struct tvmq_delegate *delegate, const struct tvmq_subgraph *subgraph);

// Says how the node of the record is computed.
void tvmq_delegate_log_plan(const struct tvmq_delegate *delegate, const struct tvmq_record *record);

// The record of node `index`, counted over all subgraphs; NULL past the end.
struct tvmq_record *tvmq_delegate_record(const struct tvmq_delegate *delegate, int index);

// Records an error and hands it to the interpreter's user. Returns kTfLiteError.
__attribute__((format(printf, 3, 4))) TfLiteStatus tvmq_delegate_fail(struct tvmq_delegate *delegate, TfLiteContext *context, const char *format, ...);
