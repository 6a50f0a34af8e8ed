// Copies of any length, optimized for short ones.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Copies n bytes. Short copies are inline, because a call would cost as much: in chunks of 16 bytes, or in two pieces
// that overlap.
static inline void tvmq_move(uint8_t *restrict out, const uint8_t *restrict in, size_t n) {
  enum { CHUNK = 16, MOST_INLINE = 256 };
  if (n > MOST_INLINE) {
    memcpy(out, in, n);
  } else if (n >= CHUNK) {
    for (size_t i = 0; i + CHUNK < n; i += CHUNK) memcpy(out + i, in + i, CHUNK);
    memcpy(out + n - CHUNK, in + n - CHUNK, CHUNK);
  } else if (n >= 8) {
    uint64_t first, last;
    memcpy(&first, in, 8);
    memcpy(&last, in + n - 8, 8);
    memcpy(out, &first, 8);
    memcpy(out + n - 8, &last, 8);
  } else if (n >= 4) {
    uint32_t first, last;
    memcpy(&first, in, 4);
    memcpy(&last, in + n - 4, 4);
    memcpy(out, &first, 4);
    memcpy(out + n - 4, &last, 4);
  } else if (n > 0) {
    const uint8_t first = in[0], middle = in[n / 2], last = in[n - 1];
    out[0] = first;
    out[n / 2] = middle;
    out[n - 1] = last;
  }
}

// Copies `rows` pieces of n bytes each. Strides: bytes from a piece to the next.
void tvmq_move_rows(uint8_t *restrict out, ptrdiff_t out_stride, const uint8_t *restrict in, ptrdiff_t in_stride, size_t n, size_t rows);
