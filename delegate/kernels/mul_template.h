// Product of two quantized tensors in vectors: what all instruction sets share.
//
// The includer defines
//   ISA                                         suffix of the symbols
//   BLOCK_BYTES                                 bytes of either tensor that are computed together
//   stage_path                                  an enum of ways through the output stage
//   struct factors                              the constants of a call, made by factors_of(args, path)
//   multiply_s8, multiply_s16(f, path, a, b, out)   BLOCK_BYTES bytes
//   BY_PATH_s8, BY_PATH_s16(args, body, ...)    body(..., path) with a constant path that serves the arguments
//
// Reads and writes the elements given; the last few by way of the stack.
#include <string.h>

#include "kernels/inline.h"
#include "kernels/kernel.h"

typedef void (*multiply_fn)(const struct factors *, stage_path, const uint8_t *, const uint8_t *, uint8_t *);

TVMQ_INLINE void multiply_all(const struct tvmq_mul_args *args, size_t bytes, multiply_fn multiply, stage_path path) {
  const struct factors factors = factors_of(args, path);
  const uint8_t *const a = args->in[0], *const b = args->in[1];
  uint8_t *const out = args->out;
  const size_t all = args->n * bytes, rest = all % BLOCK_BYTES, done = all - rest;
  for (size_t i = 0; i < done; i += BLOCK_BYTES) multiply(&factors, path, a + i, b + i, out + i);
  if (rest == 0) return;
  uint8_t last[2][BLOCK_BYTES] = {{0}};
  memcpy(last[0], a + done, rest);
  memcpy(last[1], b + done, rest);
  multiply(&factors, path, last[0], last[1], last[0]);
  memcpy(out + done, last[0], rest);
}

#define PASTE(type, isa) tvmq_mul_##type##__##isa
#define SYMBOL(type, isa) PASTE(type, isa)

void SYMBOL(s8, ISA)(const struct tvmq_mul_args *args) { BY_PATH_s8(args, multiply_all, args, 1, multiply_s8); }

void SYMBOL(s16, ISA)(const struct tvmq_mul_args *args) { BY_PATH_s16(args, multiply_all, args, sizeof(int16_t), multiply_s16); }
