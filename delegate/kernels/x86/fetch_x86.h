// Weights that are fetched ahead of their use: those of a large layer come from farther than the processor's own prefetching makes up for.
#pragma once

#include <immintrin.h>

#include "base/inline.h"
#include "kernels/kernel.h"

// Bytes ahead where they are used once, by a single row.
enum { TVMQ_FETCH_AHEAD = 4096 };

// Where a panel follows the one in use, its weights go into the second level of cache while the first tiles of this one are multiplied: a part at each of their
// steps, all of them in TVMQ_FETCH_TILES tiles, the first of them in a call of fewer.
enum { TVMQ_FETCH_TILES = 4 };

struct tvmq_fetch {
  const char *at;
  size_t step;
};

// For a panel that ends at `end` and whose tiles take `step_bytes` of weights a step.
TVMQ_INLINE struct tvmq_fetch tvmq_fetch_next(const struct tvmq_gemm_args *args, const void *end, size_t step_bytes) {
  return args->panel_follows ? (struct tvmq_fetch){end, step_bytes / TVMQ_FETCH_TILES} : (struct tvmq_fetch){args->panel, 0};
}

TVMQ_INLINE void tvmq_fetch(struct tvmq_fetch *fetch) {
  _mm_prefetch(fetch->at, _MM_HINT_T1);
  fetch->at += fetch->step;
}
