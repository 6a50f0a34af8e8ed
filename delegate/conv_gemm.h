// What the gemm ways of computing a convolution plan (conv.h).
#pragma once

#include <stddef.h>

#include "rows.h"

struct tvmq_conv_gemm {
  struct tvmq_rows rows;
  const struct tvmq_variant *row_sums;  // NULL: no row terms
  size_t block_rows, m_blocks, block_panels, n_blocks;
  struct tvmq_gemm_slice {
    size_t table, copies, wide, terms, tile;  // byte offsets in a thread's scratch
  } slice;
};
