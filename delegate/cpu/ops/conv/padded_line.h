// Copies lines of an image with padding, without a function call for usual lines.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"

enum { TVMQ_PAD = 16 };  // zero points that are written at once; a copy needs as much room after its last line

// Writes `n` zero points; if n < TVMQ_PAD, writes TVMQ_PAD.
TVMQ_INLINE void tvmq_pad_line(uint8_t *to, const uint8_t zero_points[TVMQ_PAD], size_t n) {
  if (n > TVMQ_PAD)
    memset(to, zero_points[0], n);
  else
    memcpy(to, zero_points, TVMQ_PAD);
}

// Writes `before` zero points, `n` flipped bytes, and zero points up to byte `end`. Up to TVMQ_PAD more bytes may be
// written.
TVMQ_INLINE void tvmq_copy_line(uint8_t *to, const uint8_t *from, size_t before, size_t n, size_t end, const uint8_t zero_points[TVMQ_PAD], uint8_t flip) {
  tvmq_pad_line(to, zero_points, before);
  to += before;
  for (size_t i = 0; i < n; i++) to[i] = from[i] ^ flip;
  tvmq_pad_line(to + n, zero_points, end - before - n);
}
