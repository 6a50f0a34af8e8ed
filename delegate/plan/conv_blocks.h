// A convolution's work in blocks of rows of A x panels of B: the tasks of the threads. A depthwise one's rows are those of its output, its panels blocks of
// channels.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cpu/machine.h"
#include "threads/threads.h"

// Blocks are counted panels first, then rows, so that a thread's next block mostly has the same rows.
struct tvmq_conv_blocks {
  size_t rows, m_blocks;  // rows of a block (of the last perhaps fewer), and blocks of them
  size_t panels, n_blocks;
  size_t passing;  // panels that pass over the same rows in one thread, block after block
};

// What is to be cut: `parts` alike, one for each group or image, each of `m` rows x `panels`. Rows may be lines of `pitch` rows of A; kernels take mr rows of A
// at a time.
struct tvmq_conv_work {
  size_t parts, m, pitch, mr;
  bool even;           // the kernel makes its tiles about equal: a block may have any number of rows, else whole tiles
  bool across;         // rows are columns of the image, which other operators share by its rows
  size_t reach;        // rows that a block needs beyond its own
  size_t least, most;  // a block has no more rows than `most` or than the cache takes, unless these are fewer than `least`
  size_t row_bytes;    // for the kernel
  size_t panels, panel_bytes;
  size_t in_bytes, out_bytes;             // what a row takes of the tensors
  size_t pixel_bytes, panel_pixel_bytes;  // of an output pixel, and what a panel makes of it
  float cycles, bring_cycles;             // estimated, on one thread; bring_cycles of them to bring rows to the kernel, which each block does for its own
};

// The blocks with which `n_threads` threads are estimated to finish first. A block's rows stay in the cache while all its panels pass over them.
struct tvmq_conv_blocks tvmq_conv_blocks(const struct tvmq_conv_work *work, const struct tvmq_machine *machine, int n_threads);

// The thread has done another block of the same rows before: they are still in its scratch.
static inline bool tvmq_conv_has_rows(const struct tvmq_conv_blocks *blocks, const struct tvmq_tile *block) {
  return blocks->n_blocks > 1 && block->previous / blocks->n_blocks == block->index / blocks->n_blocks;
}
