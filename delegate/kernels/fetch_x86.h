// Weights that are fetched ahead of their use: those of a large layer come from farther than the processor's own prefetching makes up for.
#pragma once

#include <immintrin.h>

#include "inline.h"

// Bytes ahead where they are used once, by a single row.
enum { TVMQ_FETCH_AHEAD = 4096 };

// The panel that lies behind the one in use goes into the second level of cache while the first tiles of that are multiplied: `step` bytes at each of their
// steps, so that all of it is asked for.
enum { TVMQ_FETCH_TILES = 4 };

struct tvmq_fetch {
  const char *at;
  size_t step;
};

TVMQ_INLINE void tvmq_fetch(struct tvmq_fetch *fetch) {
  _mm_prefetch(fetch->at, _MM_HINT_T1);
  fetch->at += fetch->step;
}
