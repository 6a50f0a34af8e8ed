// A delegate kernel: claimed nodes that run one after the other without the interpreter in between.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "cpu/threads/pace.h"
#include "cpu/threads/threads.h"
#include "cpu/threads/trace.h"
#include "graph/arena.h"
#include "graph/basis.h"
#include "graph/graph.h"
#include "graph/wiring.h"
#include "tflite/tflite_abi.h"

struct tvmq_delegate;

// A pass of a step, and what runs its tasks.
struct tvmq_step_pass {
  void (*run_task)(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task);
  const struct tvmq_op *op;
  struct tvmq_pass pass;
};

// The passes of all steps, and their sequence.
struct tvmq_lineup {
  struct tvmq_step_pass *passes;
  struct tvmq_sequence *sequence;
};

// A tensor of the interpreter that a step reads or writes.
struct tvmq_borrowed {
  const struct tvmq_step *step;
  const struct tvmq_place *place;
  const void **address;  // in the step's `in` or `out`
};

struct tvmq_partition;

// A partition on another device than the CPU (offload.h).
struct tvmq_offload {
  // Runs an inference on the tensors found, and records the times of the steps if `profiled`. On failure, returns false
  // and *why says why; the tensors that the partition reads are then unchanged.
  bool (*run)(struct tvmq_partition *partition, bool profiled, struct tvmq_text *why);
  // Computes an inference that has just run on the CPU, too, whose results replace those of the device. Returns false if
  // they differ.
  bool (*verify)(struct tvmq_partition *partition);
  void (*destroy)(struct tvmq_offload *offload);
  int n_verified;  // inferences
};

struct tvmq_partition {
  struct tvmq_partition *next;
  struct tvmq_delegate *delegate;  // that it belongs to
  struct tvmq_threads *threads;
  struct tvmq_subgraph *subgraph;
  bool live;                          // the interpreter holds it
  bool fresh;                         // created but not prepared yet: plans made before delegation still hold for the same shapes and constants
  bool ready;                         // prepared: shapes, operators and arena fit together
  bool settable;                      // a constant of its nodes is an input of the graph
  struct tvmq_basis basis;            // shapes that the plans depend on; valid while `ready`
  struct tvmq_arena *arena;           // outlives the partition
  size_t arena_bytes;                 // bytes of the arena that the partition needs
  const uint8_t *placed;              // the arena's memory when tensors were placed in it: another partition may have enlarged the arena since
  struct tvmq_arena_buffer *buffers;  // one for each output of each step; size 0 if the output needs no buffer
  size_t n_buffers;
  struct tvmq_lineup shared;
  struct tvmq_lineup alone;        // without a sequence if no step is planned for one thread
  struct tvmq_pace pace;           // decides whether threads share the passes
  const char *_Atomic failure;     // why the inference failed (static string); NULL: it did not
  void *tensors;                   // memory block that holds the arrays of all steps (tvmq_make_steps)
  struct tvmq_borrowed *borrowed;  // tensors whose addresses each inference looks up; the addresses of all others are fixed
  size_t n_borrowed;
  struct tvmq_offload *offload;  // computes inferences instead of the sequence; NULL: none
  size_t n;
  struct tvmq_step steps[];
};

// Whether the tensor is needed outside of these nodes: by others, or as an output of the graph.
bool tvmq_partition_outputs(const TfLiteDelegateParams *params, int tensor);

// Makes the partition of these nodes, whose records are planned, places its tensors in the arena, and puts it into the subgraph's list. NULL: out of memory.
struct tvmq_partition *tvmq_partition_create(struct tvmq_delegate *delegate, struct tvmq_threads *threads, struct tvmq_arena *arena,
                                             struct tvmq_subgraph *subgraph, const TfLiteDelegateParams *params);

// Gives up the other device, if there is one: the CPU computes the next inference. Sizing up does that, too.
void tvmq_partition_drop_offload(struct tvmq_partition *partition);

// Takes it out of the list and releases it and its operators.
void tvmq_partition_destroy(struct tvmq_partition *partition);

// Determines what must be computed for the shapes now in the records, enlarges the arena if necessary and places the tensors. Returns false if out of memory.
bool tvmq_partition_size_up(struct tvmq_partition *partition);

// Looks up the addresses of the interpreter's tensors for this inference. Returns NULL, or the record of a node with a tensor for which the runtime provides no
// memory.
const struct tvmq_record *tvmq_partition_find_tensors(struct tvmq_partition *partition, const TfLiteContext *context);

// Run all steps on the tensors found. `run` runs all steps as one sequence. `run_profiled` runs one step after the other and records the time of each step; if
// `trace` is not NULL, also its spans. Both set `failure` if an operator fails.
void tvmq_partition_run(struct tvmq_partition *partition);
void tvmq_partition_run_profiled(const struct tvmq_partition *partition, struct tvmq_trace *trace);
