// ARG_MAX of contiguous bytes in vectors of sixteen: the part that all instruction sets share.
//
// The includer defines ISA, vec, every(byte), load(p), exclusive(a, b) (xor), equal(a, b) (0xff where equal), either(a,
// b) (a | ~b), plus(a, b), lesser(a, b) (unsigned minimum), and least(x), the minimum of all bytes. Kernels invert the
// bytes and search for the minimum, because x86 has an instruction for the minimum only.
//
// A short row is read twice: for the maximum, then for the first index with that value, without data-dependent
// branches. In a longer row memchr() finds the index. The last vector of a row ends with the row and overlaps the
// previous vector.
#pragma once

#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

enum { BYTES = sizeof(vec), SHORT = 4 * BYTES };

static const uint8_t places[BYTES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t ones_and_zeros[2 * BYTES] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

// Returns the index of the maximum of a row shorter than a vector. A whole vector at `row` must be readable. `within`:
// 0xff in the bytes of the row. Bytes after the row count as the minimum value; on a tie, the row's index is lower.
TVMQ_INLINE int32_t in_vector(const uint8_t *row, vec within, vec mask) {
  const vec inverted = either(exclusive(load(row), mask), within);
  return least(either(load(places), equal(inverted, every(least(inverted)))));
}

// Returns the maximum, inverted, of a row of at least one vector.
TVMQ_INLINE uint8_t greatest(const uint8_t *row, size_t depth, vec mask) {
  vec inverted = exclusive(load(row + depth - BYTES), mask);
  for (size_t i = 0; i + BYTES < depth; i += BYTES) inverted = lesser(inverted, exclusive(load(row + i), mask));
  return least(inverted);
}

// Returns the first index of a byte that occurs in the row.
TVMQ_INLINE int32_t place_of(const uint8_t *row, size_t depth, uint8_t byte) {
  if (depth > SHORT) return (int32_t)((const uint8_t *)memchr(row, byte, depth) - row);
  const vec wanted = every(byte), first = load(places);
  vec place = either(plus(first, every((uint8_t)(depth - BYTES))), equal(load(row + depth - BYTES), wanted));
  for (size_t i = 0; i + BYTES < depth; i += BYTES) place = lesser(place, either(plus(first, every((uint8_t)i)), equal(load(row + i), wanted)));
  return least(place);
}

#define PASTE(isa) tvmq_arg_max__##isa
#define SYMBOL(isa) PASTE(isa)

void SYMBOL(ISA)(const struct tvmq_arg_max_args *args) {
  const struct tvmq_arg_max_args a = *args;
  const uint8_t mask = a.flip ^ 0xff;
  const uint8_t *row = a.in;
  if (a.depth >= BYTES) {
    for (size_t r = 0; r < a.rows; r++, row += a.depth) a.found[r] = place_of(row, a.depth, greatest(row, a.depth, every(mask)) ^ mask);
    return;
  }
  const vec within = load(ones_and_zeros + BYTES - a.depth);
  size_t left = a.rows * a.depth;
  int32_t *found = a.found;
  for (; left >= BYTES; left -= a.depth, row += a.depth) *found++ = in_vector(row, within, every(mask));
  uint8_t last[2 * BYTES] = {0};
  memcpy(last, row, left);
  for (const uint8_t *copy = last; left > 0; left -= a.depth, copy += a.depth) *found++ = in_vector(copy, within, every(mask));
}
