// Prefetches weights: those of a large layer come from memory too distant for the processor's own prefetching.
#pragma once

#include <immintrin.h>

#include "base/inline.h"
#include "kernels/kernel.h"

// Bytes to prefetch ahead if a single row uses the weights only once.
enum { TVMQ_FETCH_AHEAD = 4096 };

// If another panel follows, its weights are prefetched to the second level of cache during the first tiles of this
// panel. Each step of these tiles fetches a part, and TVMQ_FETCH_TILES tiles fetch all parts. Calls of fewer tiles
// fetch only the first parts.
enum { TVMQ_FETCH_TILES = 4 };

struct tvmq_fetch {
  const char *at;
  size_t step;
};

// Returns the prefetch state for a panel that ends at `end`; each step of its tiles uses `step_bytes` of weights.
TVMQ_INLINE struct tvmq_fetch tvmq_fetch_next(const struct tvmq_gemm_args *args, const void *end, size_t step_bytes) {
  return args->panel_follows ? (struct tvmq_fetch){end, step_bytes / TVMQ_FETCH_TILES} : (struct tvmq_fetch){args->panel, 0};
}

TVMQ_INLINE void tvmq_fetch(struct tvmq_fetch *fetch) {
  _mm_prefetch(fetch->at, _MM_HINT_T1);
  fetch->at += fetch->step;
}
