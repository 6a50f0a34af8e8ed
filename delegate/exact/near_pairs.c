#include "exact/near_pairs.h"

#include "exact/progression.h"

static int32_t modulo(int64_t x, int32_t modulus) { return (int32_t)(x & (modulus - 1)); }

static void multiply(int32_t multiplier, int64_t constant, int32_t modulus, struct tvmq_products *products) {
  const struct tvmq_progression p = tvmq_progression(modulo(constant, modulus), modulo(multiplier, modulus), modulus, TVMQ_N_BYTES);
  struct tvmq_term term = p.least;
  for (int32_t i = 0; i < TVMQ_N_BYTES; i++, term = tvmq_term_above(&p, term)) {
    products->x[i] = (uint8_t)term.i;
    products->value[i] = (int32_t)term.value;
  }
}

// After `reach` is added, a sum is near a multiple if it is at most 2 * reach, modulo the modulus.
void tvmq_near_pairs(const int32_t multiplier[2], int64_t constant, int32_t shift, int32_t reach, struct tvmq_near_pairs *pairs) {
  pairs->modulus = 1 << shift;
  pairs->width = 2 * reach;
  multiply(multiplier[0], 0, pairs->modulus, &pairs->a);
  multiply(multiplier[1], constant + reach, pairs->modulus, &pairs->b);
  pairs->i = 0;
  pairs->first = TVMQ_N_BYTES;  // from this index on, values of b alone are at least the modulus
  tvmq_near_pairs_seek(pairs);
}
