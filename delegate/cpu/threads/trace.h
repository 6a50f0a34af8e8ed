// A trace of when each task ran: one ring of spans for each thread, allocated when the threads start. Recording neither
// allocates nor locks. When a ring is full, a new span replaces the oldest. Read rings only while nothing runs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tvmq_delegate.h"

enum { TVMQ_TRACE_SPANS = 1 << 12 };  // spans of each thread: enough for a few inferences of a large network

struct tvmq_ring {
  _Alignas(64) size_t count;  // spans ever recorded; the last TVMQ_TRACE_SPANS are kept
  struct tvmq_span_info spans[TVMQ_TRACE_SPANS];
};

struct tvmq_trace {
  int subgraph, node;  // the node that runs; the caller sets it before the node starts
  int n_threads;
  struct tvmq_ring rings[];
};

struct tvmq_trace *tvmq_trace_create(int n_threads);  // returns NULL if out of memory; release with tvmq_free
void tvmq_trace_reset(struct tvmq_trace *trace);      // discards all spans

// Records a span of the current node, from `start_ns` to `end_ns`, in the ring of `thread`. task: -1 for the whole
// node.
void tvmq_trace_add(struct tvmq_trace *trace, int thread, int task, uint64_t start_ns, uint64_t end_ns);

// Returns span `index`, counted thread by thread and oldest first, or NULL past the end.
const struct tvmq_span_info *tvmq_trace_at(const struct tvmq_trace *trace, size_t index);
