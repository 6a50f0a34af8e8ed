// Copies every k-th pixel of a line.
#pragma once

#include <stddef.h>
#include <string.h>

#include "base/inline.h"

// Copies n pixels of `pixel` bytes, which are `step` bytes apart in `in`, to contiguous pixels in `out`.
TVMQ_INLINE void tvmq_pick_each(const void *in, size_t step, size_t pixel, size_t n, void *out) {
  for (size_t i = 0; i < n; i++) memcpy((char *)out + i * pixel, (const char *)in + i * step, pixel);
}

// The usual sizes of small pixels, in bytes.
#define TVMQ_PIXEL_SIZES(SIZE) SIZE(1) SIZE(2) SIZE(3) SIZE(4) SIZE(6) SIZE(8) SIZE(12) SIZE(16)

// The same, with the sizes above as compile-time constants.
static inline void tvmq_pick_pixels(const void *in, size_t step, size_t pixel, size_t n, void *out) {
  switch (pixel) {
#define SIZE(n_bytes)                            \
  case n_bytes:                                  \
    tvmq_pick_each(in, step, (n_bytes), n, out); \
    return;
    TVMQ_PIXEL_SIZES(SIZE)
#undef SIZE
  }
  tvmq_pick_each(in, step, pixel, n, out);
}
