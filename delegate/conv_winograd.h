// What the Winograd way of computing a convolution plans (conv.h).
#pragma once

#include <stddef.h>

#include "geometry.h"
#include "winograd_tiles.h"

struct tvmq_conv_winograd {
  const struct tvmq_variant *input, *output;
  struct tvmq_axis h, w;  // of the input
  struct tvmq_tiles tiles;
  size_t wave_tiles, waves;                       // tiles whose values are in the scratch at a time
  size_t block_tiles, m_blocks;                   // of a wave, whose sums are a task
  size_t block_panels, n_blocks;                  //
  size_t values_point_stride, sums_point_stride;  // elements
  size_t values, sums, pixels, tile;              // byte offsets in the scratch, and of the last three in a thread's slice of it
};
