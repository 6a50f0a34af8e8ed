// Product of two quantized tensors, or square of their difference, in vectors: what all instruction sets share.
//
// The includer defines
//   ISA                                 the suffix of the symbols
//   BLOCK_BYTES                         bytes of either tensor that are combined together
//   stage_path                          the type of the output stage's path
//   struct factors                      the constants, made by factors_of(args, path)
//   struct raised                       a block of the second tensor, as it is combined
//   raise_s8, raise_s16, raise_difference(f, in, raised)   a block of the second tensor
//   multiply_s8, multiply_s16(f, path, a, raised, out)     a block
//   square_s8(f, path, half, a, raised, out)               a block; half: the first tensor is rescaled by a half
//   BYTE_PRODUCTS                       only where raise_from_zero and multiply_from_zero exist: they take the place of
//                                       raise_s8 and multiply_s8 where the second tensor's zero point is -128
//   BY_PATH_s8, BY_PATH_s16, BY_PATH_SQUARES(args, body, ...)   body(..., path) with a constant path for the arguments
//
// The second tensor is raised once for all rows. Reads and writes the elements given; the last few of a single row by
// way of the stack.
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

// Products and squares are functions of their own, so that each has all registers. What they set in their copies of the
// arguments has these values already; the compiler then knows it.
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
