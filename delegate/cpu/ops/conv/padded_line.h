// A line of an image as it is copied with its padding, without a call for a usual line.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"

enum { TVMQ_PAD = 16 };  // bytes of zero points that are written at a time: room that a copy needs behind its last line

// Writes `n` zero points, and where they are few some more behind them.
TVMQ_INLINE void tvmq_pad_line(uint8_t *to, const uint8_t zero_points[TVMQ_PAD], size_t n) {
  if (n > TVMQ_PAD)
    memset(to, zero_points[0], n);
  else
    memcpy(to, zero_points, TVMQ_PAD);
}

// Writes `before` zero points, `n` bytes, flipped, and zero points as far as `end`, which may be followed by some more.
TVMQ_INLINE void tvmq_copy_line(uint8_t *to, const uint8_t *from, size_t before, size_t n, size_t end, const uint8_t zero_points[TVMQ_PAD], uint8_t flip) {
  tvmq_pad_line(to, zero_points, before);
  to += before;
  for (size_t i = 0; i < n; i++) to[i] = from[i] ^ flip;
  tvmq_pad_line(to + n, zero_points, end - before - n);
}
