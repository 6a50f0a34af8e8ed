// What the ways for kernels with TVMQ_MATRIX_ROWS plan (conv.h).
#pragma once

#include <stddef.h>

#include "kernels/kernel.h"
#include "ops/conv/rows.h"
#include "plan/conv_blocks.h"

struct tvmq_conv_matrix {
  struct tvmq_rows rows;
  const struct tvmq_variant *row_sums;  // NULL: no row terms
  // Rows of A are output pixels in lines, `pitch` rows from each line to the next; those past line_rows belong to no output.
  size_t images, image_lines, line_rows, pitch;
  struct tvmq_conv_blocks blocks;  // of an image's lines
  size_t tile_panels;              // panels that are computed at once by way of scratch
  struct tvmq_matrix_slice {
    size_t taps, copies, table, terms, tile;  // byte offsets in a thread's scratch
  } slice;
};
