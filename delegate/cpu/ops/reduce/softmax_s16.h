// SOFTMAX of int16, as the reference computes it: exponential function and reciprocal by interpolation in tables.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

// Entries of a table, which interpolation reads in pairs.
enum { TVMQ_SOFTMAX_S16_ENTRIES = 513 };

struct tvmq_softmax_s16 {
  struct tvmq_scale scale;  // of differences to the greatest element
  enum tvmq_rounding rounding;
  int16_t exps[TVMQ_SOFTMAX_S16_ENTRIES];         // of -10 to 0
  int16_t reciprocals[TVMQ_SOFTMAX_S16_ENTRIES];  // of 1 to 2
};

// Fills the tables. They are the same with every library of mathematics: no entry is near a tie.
void tvmq_softmax_s16_tables(struct tvmq_softmax_s16 *softmax);

// Each row of `depth` elements on its own. The tensors do not overlap.
void tvmq_softmax_s16_rows(const struct tvmq_softmax_s16 *softmax, const int16_t *in, size_t rows, size_t depth, int16_t *out);
