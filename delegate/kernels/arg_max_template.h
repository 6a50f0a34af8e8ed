// ARG_MAX of bytes side by side in vectors of sixteen: what all instruction sets share.
//
// The includer defines ISA, vec, every(byte), load(p), exclusive(a, b), equal(a, b) (0xff where they are), either(a, b) (a | ~b), plus(a, b), lesser(a, b)
// (unsigned) and least(x), the least of all bytes. Bytes are inverted, so that the greatest is the least: x86 finds that one by an instruction.
//
// Short rows are gone through twice, for the greatest byte and for the least place of those that equal it, and nothing branches on what the bytes are. In
// longer ones the place is searched for. The last vector of a row ends with it and overlaps the one before.
#pragma once

#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

enum { BYTES = sizeof(vec), SHORT = 4 * BYTES };

static const uint8_t places[BYTES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t ones_and_zeros[2 * BYTES] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

// The first place of the greatest byte of a row of less than a vector, of which `row` may be read: `within` has ones for the row's bytes. What stands behind
// them counts as the least byte, and if the row has no greater one, its places come first.
TVMQ_INLINE int32_t in_vector(const uint8_t *row, vec within, vec mask) {
  const vec inverted = either(exclusive(load(row), mask), within);
  return least(either(load(places), equal(inverted, every(least(inverted)))));
}

// The greatest byte of a row of at least a vector, inverted.
TVMQ_INLINE uint8_t greatest(const uint8_t *row, size_t depth, vec mask) {
  vec inverted = exclusive(load(row + depth - BYTES), mask);
  for (size_t i = 0; i + BYTES < depth; i += BYTES) inverted = lesser(inverted, exclusive(load(row + i), mask));
  return least(inverted);
}

// The first place of the byte, which the row has.
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
