// Which way a convolution is computed, and by which kernel: the least estimated cycles over all ways that are legal for it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/select.h"

enum tvmq_way {
  TVMQ_WAY_TABLE,   // a table points at the pieces of each row where they lie in the input
  TVMQ_WAY_IM2COL,  // the pieces of each row are copied side by side, and widened for kernels that want it
};

// A convolution of one group as matrices: A is m rows of n_pieces pieces of k elements, each contiguous in the input (rows.h); B is n_pieces * k by n.
struct tvmq_conv_problem {
  enum tvmq_family family;
  uint8_t acc_bytes;
  size_t m, n, k, n_pieces, piece_taps;
  bool is_matrix;  // the rows already lie side by side in the input, one after another
  uint32_t cpu, excluded;
};

struct tvmq_algorithm {
  enum tvmq_way way;
  const struct tvmq_variant *variant;
  size_t k, n_taps;  // as the kernel sees them; k is padded to the layout's ku
  bool copies;       // im2col: there are pieces to copy, else the input is the matrix already; table: pieces at the sides of the image are copied
  float cycles;      // estimated, for the whole group
};

// variant is NULL if no kernel computes the problem.
struct tvmq_algorithm tvmq_algorithm_choose(const struct tvmq_conv_problem *problem);

const char *tvmq_algorithm_name(const struct tvmq_algorithm *algorithm);
