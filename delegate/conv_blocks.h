// A convolution's work in blocks of rows of A x panels of B: the tasks of the threads.
#pragma once

#include <stddef.h>

struct tvmq_conv_blocks {
  size_t rows, m_blocks;  // rows of a block (of the last perhaps fewer), and blocks of them
  size_t panels, n_blocks;
};

// What is to be cut: `m` rows of row_bytes bytes, in steps of `unit` rows and at most `most` at a time; `panels` of panel_bytes bytes.
struct tvmq_conv_work {
  size_t m, unit, most, row_bytes;
  size_t panels, panel_bytes;
};

// At least `wanted` blocks if there are so many. A block's rows stay in the cache while all its panels pass over them.
struct tvmq_conv_blocks tvmq_conv_blocks(const struct tvmq_conv_work *work, size_t wanted);
