// Product of two quantized tensors in vectors: what all instruction sets share.
//
// The includer defines
//   ISA                                         suffix of the symbols
//   BLOCK_BYTES                                 bytes of either tensor that are computed together
//   stage_path                                  an enum of ways through the output stage
//   struct factors                              the constants of a call, made by factors_of(args, path)
//   struct raised                               BLOCK_BYTES bytes of the second tensor, as raise_s8 and raise_s16(f, in, raised) make them
//   multiply_s8, multiply_s16(f, path, a, raised, out)   BLOCK_BYTES bytes
//   BYTE_PRODUCTS                               only where raise_from_zero and multiply_from_zero exist: they take the place of raise_s8 and multiply_s8 where
//                                               the second tensor's zero point is -128
//   BY_PATH_s8, BY_PATH_s16(args, body, ...)    body(..., path) with a constant path that serves the arguments
//
// The second tensor is raised once for all rows. Reads and writes the elements given; the last few of a single row by way of the stack.
#include <string.h>

#include "kernels/inline.h"
#include "kernels/kernel.h"

typedef void (*raise_fn)(const struct factors *, const uint8_t *, struct raised *);
typedef void (*multiply_fn)(const struct factors *, stage_path, const uint8_t *, const struct raised *, uint8_t *);

TVMQ_INLINE void multiply_all(const struct tvmq_mul_args *args, size_t bytes, raise_fn raise, multiply_fn multiply, stage_path path) {
  const struct factors factors = factors_of(args, path);
  const uint8_t *const a = args->in[0], *const b = args->in[1];
  uint8_t *const out = args->out;
  const size_t all = args->n * bytes, rest = all % BLOCK_BYTES, done = all - rest, end = args->rows * all;
  struct raised raised;
  for (size_t i = 0; i < done; i += BLOCK_BYTES) {
    raise(&factors, b + i, &raised);
    for (size_t at = i; at < end; at += all) multiply(&factors, path, a + at, &raised, out + at);
  }
  if (rest == 0) return;
  uint8_t last[BLOCK_BYTES] = {0};
  memcpy(last, b + done, rest);
  raise(&factors, last, &raised);
  memcpy(last, a + done, rest);
  multiply(&factors, path, last, &raised, last);
  memcpy(out + done, last, rest);
}

#define PASTE(type, isa) tvmq_mul_##type##__##isa
#define SYMBOL(type, isa) PASTE(type, isa)

void SYMBOL(s8, ISA)(const struct tvmq_mul_args *args) {
#ifdef BYTE_PRODUCTS
  if (args->in_zero_point[1] == INT8_MIN) {
    BY_PATH_s8(args, multiply_all, args, 1, raise_from_zero, multiply_from_zero);
    return;
  }
#endif
  BY_PATH_s8(args, multiply_all, args, 1, raise_s8, multiply_s8);
}

void SYMBOL(s16, ISA)(const struct tvmq_mul_args *args) { BY_PATH_s16(args, multiply_all, args, sizeof(int16_t), raise_s16, multiply_s16); }
