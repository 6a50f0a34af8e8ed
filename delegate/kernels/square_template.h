// Squared difference of two quantized tensors in vectors: what all instruction sets share.
//
// The includer defines ISA, the suffix of the symbol, what pair_rows.h wants but for pair_args, and
//   raise_row(f, in, raised)                BLOCK_BYTES bytes of the second tensor
//   square(f, path, half, a, raised, out)   BLOCK_BYTES bytes; half: those of the first tensor are rescaled by a half
//   BY_PATH(args, body, ...)                body(..., path) with a constant path that serves the arguments
typedef struct tvmq_square_args pair_args;

#include "kernels/pair_rows.h"

#define PASTE(isa) tvmq_square__##isa
#define SYMBOL(isa) PASTE(isa)

TVMQ_INLINE void square_half(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *b, uint8_t *out) {
  square(f, path, true, in, b, out);
}

TVMQ_INLINE void square_any(const struct factors *f, stage_path path, const uint8_t *in, const struct raised *b, uint8_t *out) {
  square(f, path, false, in, b, out);
}

void SYMBOL(ISA)(const struct tvmq_square_args *args) {
  if (tvmq_is_half(args->in_scale[0]))
    BY_PATH(args, combine_all, args, 1, raise_row, square_half);
  else
    BY_PATH(args, combine_all, args, 1, raise_row, square_any);
}
