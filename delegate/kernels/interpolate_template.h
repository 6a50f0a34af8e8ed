// Linear interpolation between two rows: plain C, vectorized by the compiler for the instruction set ISA, which the
// includer defines.
#include "kernels/interpolate_rows.h"

#define PASTE(type, isa) tvmq_interpolate_##type##__##isa
#define SYMBOL(type, isa) PASTE(type, isa)

MAKE_ROW(int8_t)
MAKE_ROW(uint8_t)

// Copies every argument, because the compiler must assume that stored bytes alias the arguments.
void SYMBOL(s8, ISA)(const struct tvmq_interpolate_args *args) {
  make_rows(args, args->is_unsigned ? make_uint8_t : make_int8_t);
  const int32_t *const first = args->rows[0], *const second = args->rows[1];
  uint8_t *const out = args->out;
  const int32_t first_weight = args->weights[0], second_weight = args->weights[1], shift = args->shift, half = (1 << args->shift) >> 1;
  const size_t n = args->n_columns * args->channels;
  for (size_t i = 0; i < n; i++) {
    const int32_t sum = first[i] * first_weight + second[i] * second_weight;
    out[i] = (uint8_t)((sum + half - (sum < 0 && half > 0)) >> shift);
  }
}
