// What the gemm ways of computing a convolution plan (conv.h).
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"
#include "ops/conv/rows.h"
#include "plan/conv_blocks.h"

struct tvmq_conv_gemm {
  struct tvmq_rows rows;
  const struct tvmq_variant *row_sums;  // NULL: no row terms
  struct tvmq_conv_blocks blocks;
  bool flips;  // a block's input is copied, flipped, once for all taps and panels
  struct tvmq_gemm_slice {
    size_t table, copies, wide, flipped, padding, terms, zipped, tile;  // byte offsets in a thread's scratch
  } slice;
};
