// Maximum and minimum of two tensors in vectors: the part that all instruction sets share.
//
// The includer defines ISA, vec, every(byte), load(p), store(p, x), exclusive(a, b) (xor), greater_s8(a, b) and
// greater_s16(a, b). The elements after the last whole vector are copied to the stack and computed there.
#pragma once

#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

enum { BLOCK_BYTES = sizeof(vec) };

typedef vec (*greater_fn)(vec, vec);

TVMQ_INLINE void block(vec flip, greater_fn greater, const uint8_t *a, const uint8_t *b, uint8_t *out) {
  store(out, exclusive(greater(exclusive(load(a), flip), exclusive(load(b), flip)), flip));
}

TVMQ_INLINE void all_blocks(const struct tvmq_maximum_args *args, size_t bytes, greater_fn greater) {
  const vec flip = every(args->flip);
  const uint8_t *const a = args->in[0], *const b = args->in[1];
  uint8_t *const out = args->out;
  const size_t all = args->n * bytes, rest = all % BLOCK_BYTES, done = all - rest;
  for (size_t i = 0; i < done; i += BLOCK_BYTES) block(flip, greater, a + i, b + i, out + i);
  if (rest == 0) return;
  uint8_t last[2][BLOCK_BYTES] = {{0}};
  memcpy(last[0], a + done, rest);
  memcpy(last[1], b + done, rest);
  block(flip, greater, last[0], last[1], last[0]);
  memcpy(out + done, last[0], rest);
}

#define PASTE(type, isa) tvmq_maximum_##type##__##isa
#define SYMBOL(type, isa) PASTE(type, isa)

void SYMBOL(s8, ISA)(const struct tvmq_maximum_args *args) { all_blocks(args, 1, greater_s8); }

void SYMBOL(s16, ISA)(const struct tvmq_maximum_args *args) { all_blocks(args, sizeof(int16_t), greater_s16); }
