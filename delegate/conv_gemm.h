// What the gemm ways of computing a convolution plan (conv.h).
#pragma once

#include <stddef.h>

#include "conv_blocks.h"
#include "kernels/kernel.h"
#include "rows.h"

struct tvmq_conv_gemm {
  struct tvmq_rows rows;
  const struct tvmq_variant *row_sums;  // NULL: no row terms
  struct tvmq_conv_blocks blocks;
  struct tvmq_gemm_slice {
    size_t table, copies, wide, terms, tile;  // byte offsets in a thread's scratch
  } slice;
};
