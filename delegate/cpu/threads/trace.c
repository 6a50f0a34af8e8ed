#include "cpu/threads/trace.h"

#include "base/arith.h"
#include "base/memory.h"

struct tvmq_trace *tvmq_trace_create(int n_threads) {
  size_t size;
  if (!tvmq_mul_size((size_t)n_threads, sizeof(struct tvmq_ring), &size) || !tvmq_add_size(size, sizeof(struct tvmq_trace), &size)) return NULL;
  struct tvmq_trace *trace = tvmq_alloc(size);
  if (trace != NULL) trace->n_threads = n_threads;
  return trace;
}

void tvmq_trace_reset(struct tvmq_trace *trace) {
  for (int i = 0; i < trace->n_threads; i++) trace->rings[i].count = 0;
}

void tvmq_trace_add(struct tvmq_trace *trace, int thread, int task, uint64_t start_ns, uint64_t end_ns) {
  struct tvmq_ring *ring = &trace->rings[thread];
  ring->spans[ring->count++ % TVMQ_TRACE_SPANS] =
      (struct tvmq_span_info){.subgraph = trace->subgraph, .node = trace->node, .thread = thread, .task = task, .start_ns = start_ns, .end_ns = end_ns};
}

const struct tvmq_span_info *tvmq_trace_at(const struct tvmq_trace *trace, size_t index) {
  for (int i = 0; i < trace->n_threads; i++) {
    const struct tvmq_ring *ring = &trace->rings[i];
    const size_t kept = ring->count < TVMQ_TRACE_SPANS ? ring->count : TVMQ_TRACE_SPANS;
    if (index < kept) return &ring->spans[(ring->count - kept + index) % TVMQ_TRACE_SPANS];
    index -= kept;
  }
  return NULL;
}
