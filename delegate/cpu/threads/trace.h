// A trace of what ran when: a ring of spans for each thread, allocated when the threads start. Recording allocates and locks nothing; when a ring is
// full, the oldest span makes room. Rings are read while nothing runs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tvmq_delegate.h"

enum { TVMQ_TRACE_SPANS = 1 << 12 };  // of each thread: some inferences of a large network

struct tvmq_ring {
  _Alignas(64) size_t count;  // of all spans recorded; the last TVMQ_TRACE_SPANS are kept
  struct tvmq_span_info spans[TVMQ_TRACE_SPANS];
};

struct tvmq_trace {
  int subgraph, node;  // what runs: set by the caller before it begins
  int n_threads;
  struct tvmq_ring rings[];
};

struct tvmq_trace *tvmq_trace_create(int n_threads);  // NULL: out of memory. Released by tvmq_free
void tvmq_trace_reset(struct tvmq_trace *trace);      // forgets all spans

// Records a span of what runs, from `start_ns` to `end_ns`, on the ring of `thread`. task: -1 for the whole operator.
void tvmq_trace_add(struct tvmq_trace *trace, int thread, int task, uint64_t start_ns, uint64_t end_ns);

// Span `index`, thread by thread, of each the oldest first. NULL past the end.
const struct tvmq_span_info *tvmq_trace_at(const struct tvmq_trace *trace, size_t index);
