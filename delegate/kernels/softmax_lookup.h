// Look-up of the exps of SOFTMAX, one by one.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/inline.h"
#include "kernels/kernel.h"
#include "kernels/softmax_row.h"

enum { LOOKED_UP = 8 };

struct lookup {
  const int32_t *exps;
  bool is_unsigned;
};

TVMQ_INLINE struct lookup make_lookup(const struct tvmq_softmax_args *args, bool is_unsigned) { return (struct lookup){args->exps, is_unsigned}; }

// Looks up the exps of n elements. All bytes are loaded before any exp, and all exps before any store, so that in-order
// cores do not wait for each.
TVMQ_INLINE void look_up_some(const int32_t *table, int64_t origin, bool is_unsigned, const uint8_t *in, size_t n, int32_t *exps) {
  int64_t index[LOOKED_UP];
  UNROLL for (size_t i = 0; i < n; i++) {
    index[i] = is_unsigned ? in[i] : (int8_t)in[i];
    // Otherwise compilers collect the indices in vectors and then extract them one by one.
    __asm__("" : "+r"(index[i]));
  }
  int32_t exp[LOOKED_UP];
  UNROLL for (size_t i = 0; i < n; i++) exp[i] = table[origin + index[i]];
  UNROLL for (size_t i = 0; i < n; i++) {
    __asm__("" : "+r"(exp[i]));
    exps[i] = exp[i];
  }
}

TVMQ_INLINE size_t look_up_row(const struct lookup *lookup, const struct row *row, size_t first, size_t n, int32_t *exps) {
  const bool is_unsigned = lookup->is_unsigned;
  const int32_t *const table = lookup->exps;
  const uint8_t *const in = row->in + first;
  const int64_t origin = UINT8_MAX - row->greatest - (is_unsigned ? 128 : 0);
  const size_t padded = tvmq_round_up(n, STEP);
  size_t i = 0;
  for (; i + LOOKED_UP <= n; i += LOOKED_UP) look_up_some(table, origin, is_unsigned, in + i, LOOKED_UP, exps + i);
  for (; i < n; i++) look_up_some(table, origin, is_unsigned, in + i, 1, exps + i);
  for (; i < padded; i++) exps[i] = 0;
  return padded;
}

// Looks up the exps of n elements of each row, from element `first` on. Pads the exps of each row with zeros to a
// multiple of STEP, which is returned.
TVMQ_INLINE size_t look_up(const struct lookup *lookup, const struct row *rows, size_t n_rows, size_t first, size_t n, int32_t *exps) {
  const size_t padded = tvmq_round_up(n, STEP);
  for (size_t i = 0; i < n_rows; i++) look_up_row(lookup, &rows[i], first, n, exps + i * padded);
  return padded;
}
