// What the Winograd way of computing a convolution plans (conv.h).
#pragma once

#include <stddef.h>

#include "kernels/kernel.h"
#include "ops/conv/winograd_tiles.h"
#include "ops/geometry.h"
#include "plan/conv_blocks.h"

struct tvmq_conv_winograd {
  const struct tvmq_variant *input, *output;
  struct tvmq_axis h, w;  // of the input
  struct tvmq_tiles tiles;
  size_t wave_tiles;                              // whose values are in the scratch at a time
  struct tvmq_conv_blocks blocks;                 // of a wave; tiles are its rows
  size_t values_point_stride, sums_point_stride;  // elements
  size_t values, sums, pixels, tile;              // byte offsets: of the first in the shared scratch, of the others in a thread's slice
};
