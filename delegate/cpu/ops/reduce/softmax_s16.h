// SOFTMAX of int16 as in the reference: the exponential function and the reciprocal are interpolated in tables.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

// Entries of a table; interpolation reads two neighbouring entries.
enum { TVMQ_SOFTMAX_S16_ENTRIES = 513 };

struct tvmq_softmax_s16 {
  struct tvmq_scale scale;  // scale of the differences from the maximum
  enum tvmq_rounding rounding;
  int16_t exps[TVMQ_SOFTMAX_S16_ENTRIES];         // exp(x), x from -10 to 0
  int16_t reciprocals[TVMQ_SOFTMAX_S16_ENTRIES];  // 1 / (1 + x), x from 0 to 1
};

// Fills the tables. Every math library gives the same entries, because no entry is near a tie.
void tvmq_softmax_s16_tables(struct tvmq_softmax_s16 *softmax);

// Computes each row of `depth` elements. The tensors must not overlap.
void tvmq_softmax_s16_rows(const struct tvmq_softmax_s16 *softmax, const int16_t *in, size_t rows, size_t depth, int16_t *out);
