// Product of two quantized tensors, or square of their difference, in vectors: the part that all instruction sets share.
//
// The includer defines
//   ISA                                 the suffix of the symbols
//   BLOCK_BYTES                         bytes of a block of either tensor
//   stage_path                          the type of the output stage's path
//   struct factors                      the constants of a call; factors_of(args, path) makes it
//   struct raised                       a block of the second tensor, converted for multiplication
//   raise_s8, raise_s16, raise_difference(f, in, raised)   convert a block of the second tensor
//   multiply_s8, multiply_s16(f, path, a, raised, out)     compute a block of products
//   square_s8(f, path, half, a, raised, out)               computes a block; half: in_scale[0] is a half
//   BYTE_PRODUCTS                       defined if raise_from_zero and multiply_from_zero exist, which replace
//                                       raise_s8 and multiply_s8 if the second tensor's zero point is -128
//   BY_PATH_s8, BY_PATH_s16, BY_PATH_SQUARES(args, body, ...)   call body(..., path) with a constant path
//
// A block of the second tensor is converted once for all rows. Kernels read and write only the given elements. The
// elements after the last whole block, which only a single row may have, are copied to the stack and computed there.
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

typedef void (*raise_fn)(const struct factors *, const uint8_t *, struct raised *);
typedef void (*combine_fn)(const struct factors *, stage_path, const uint8_t *, const struct raised *, uint8_t *);

TVMQ_INLINE void combine_all(const struct tvmq_mul_args *args, size_t bytes, raise_fn raise, combine_fn combine, stage_path path) {
  const struct factors factors = factors_of(args, path);
  const uint8_t *const a = args->in[0], *const b = args->in[1];
  uint8_t *const out = args->out;
  const size_t all = args->n * bytes, rest = all % BLOCK_BYTES, done = all - rest, end = args->rows * all;
  struct raised raised;
  for (size_t i = 0; i < done; i += BLOCK_BYTES) {
    raise(&factors, b + i, &raised);
    for (size_t at = i; at < end; at += all) combine(&factors, path, a + at, &raised, out + at);
  }
  if (rest == 0) return;
  uint8_t last[BLOCK_BYTES] = {0};
  memcpy(last, b + done, rest);
  raise(&factors, last, &raised);
  memcpy(last, a + done, rest);
  combine(&factors, path, last, &raised, last);
  memcpy(out + done, last, rest);
}

TVMQ_INLINE void square_half(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *b, uint8_t *out) {
  square_s8(f, path, true, in, b, out);
}

TVMQ_INLINE void square_any(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *b, uint8_t *out) {
  square_s8(f, path, false, in, b, out);
}

#define PASTE(type, isa) tvmq_mul_##type##__##isa
#define SYMBOL(type, isa) PASTE(type, isa)

// Separate functions for products and squares, so that each can use all registers. The assignments to the copied
// arguments repeat values that they already have, as a hint to the compiler.
static __attribute__((noinline)) void mul_squares(const struct tvmq_mul_args *args) {
  struct tvmq_mul_args a = *args;
  a.difference = true;
  a.bias = 0;
  if (tvmq_is_half(a.in_scale[0]))
    BY_PATH_SQUARES(&a, combine_all, &a, 1, raise_difference, square_half);
  else
    BY_PATH_SQUARES(&a, combine_all, &a, 1, raise_difference, square_any);
}

static __attribute__((noinline)) void mul_products(const struct tvmq_mul_args *args) {
  struct tvmq_mul_args a = *args;
  a.difference = false;
#ifdef BYTE_PRODUCTS
  if (a.in_zero_point[1] == INT8_MIN) {
    BY_PATH_s8(&a, combine_all, &a, 1, raise_from_zero, multiply_from_zero);
    return;
  }
#endif
  BY_PATH_s8(&a, combine_all, &a, 1, raise_s8, multiply_s8);
}

void SYMBOL(s8, ISA)(const struct tvmq_mul_args *args) {
  if (args->difference)
    mul_squares(args);
  else
    mul_products(args);
}

void SYMBOL(s16, ISA)(const struct tvmq_mul_args *args) { BY_PATH_s16(args, combine_all, args, sizeof(int16_t), raise_s16, multiply_s16); }
