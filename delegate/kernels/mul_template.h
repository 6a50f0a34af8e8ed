// Product of two quantized tensors in vectors: what all instruction sets share.
//
// The includer defines ISA, the suffix of the symbols, what pair_rows.h wants but for pair_args, and
//   raise_s8, raise_s16(f, in, raised)                   BLOCK_BYTES bytes of the second tensor
//   multiply_s8, multiply_s16(f, path, a, raised, out)   BLOCK_BYTES bytes
//   BYTE_PRODUCTS                               only where raise_from_zero and multiply_from_zero exist: they take the place of raise_s8 and multiply_s8 where
//                                               the second tensor's zero point is -128
//   BY_PATH_s8, BY_PATH_s16(args, body, ...)    body(..., path) with a constant path that serves the arguments
typedef struct tvmq_mul_args pair_args;

#include "kernels/pair_rows.h"

#define PASTE(type, isa) tvmq_mul_##type##__##isa
#define SYMBOL(type, isa) PASTE(type, isa)

void SYMBOL(s8, ISA)(const struct tvmq_mul_args *args) {
#ifdef BYTE_PRODUCTS
  if (args->in_zero_point[1] == INT8_MIN) {
    BY_PATH_s8(args, combine_all, args, 1, raise_from_zero, multiply_from_zero);
    return;
  }
#endif
  BY_PATH_s8(args, combine_all, args, 1, raise_s8, multiply_s8);
}

void SYMBOL(s16, ISA)(const struct tvmq_mul_args *args) { BY_PATH_s16(args, combine_all, args, sizeof(int16_t), raise_s16, multiply_s16); }
