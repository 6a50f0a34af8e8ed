// Divides an operator's work into blocks of rows x panels, which are the tasks of the threads. A gemm has rows of A and
// panels of B. A depthwise convolution has output rows and blocks of channels. Winograd's rows are tiles.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cpu/machine.h"
#include "cpu/threads/threads.h"

// Block indices run over panels first, then over rows, so that a thread's next block usually has the same rows.
struct tvmq_blocks {
  size_t rows, m_blocks;    // rows of a block (the last may have fewer), and number of blocks along the rows
  size_t panels, n_blocks;  // panels of a block, and number of blocks along the panels
  size_t passing;           // panels that one thread multiplies with the same rows, in successive blocks
  float cycles;             // estimated cycles until the last thread is done
};

// The work to divide: `parts` equal parts, one for each group or image, each of `m` rows x `panels`. A row may be a
// line of `pitch` rows of A. A kernel processes mr rows at a time.
struct tvmq_work {
  size_t parts, m, pitch, mr;
  bool even;           // the kernel makes its tiles about equal, so a block may have any number of rows; false: whole tiles
  bool across;         // rows are columns of the image, while other operators divide the image by its rows
  size_t reach;        // rows that a block needs in addition to its own
  size_t least, most;  // limits of a block's rows; `most` and the cache limit them further unless they are below `least`
  size_t cache_bytes;  // cache for the rows of a block
  size_t row_bytes;    // bytes of a row as the kernel reads it
  size_t panels, panel_bytes;
  size_t in_bytes, out_bytes;             // bytes of a row in the input and the output tensor
  size_t pixel_bytes, panel_pixel_bytes;  // bytes of an output pixel, and of the part that one panel computes
  float cycles, bring_cycles;             // estimated cycles on one thread, and the part for packing rows, which each block does for its own
};

// Returns the unit of a block's rows: a whole tile, or 1 if any number of rows is possible.
size_t tvmq_blocks_unit(const struct tvmq_work *work);

// Lists up to `max` divisions of the work, sorted by estimated time on `n_threads` threads, and returns their number.
// `rows` and `panels` constrain the size of a block; 0: any. Lists nothing if a constraint is illegal: rows must be
// whole units, and neither may exceed the work.
size_t tvmq_list_blocks(const struct tvmq_work *work, const struct tvmq_machine *machine, int n_threads, size_t rows, size_t panels, struct tvmq_blocks *list,
                        size_t max);

// Returns the fastest division.
static inline struct tvmq_blocks tvmq_best_blocks(const struct tvmq_work *work, const struct tvmq_machine *machine, int n_threads) {
  struct tvmq_blocks best = {0};
  tvmq_list_blocks(work, machine, n_threads, 0, 0, &best, 1);
  return best;
}

// Returns whether the thread's previous block had the same rows, which are then still in its scratch.
static inline bool tvmq_has_rows(const struct tvmq_blocks *blocks, const struct tvmq_task *block) {
  return blocks->n_blocks > 1 && block->since > 0 && block->since <= block->index % blocks->n_blocks;
}

// Returns the number of tasks for work without rows and panels, such as elementwise operators. Minimizes the estimated
// time with the same costs as for blocks. The number is a multiple of the threads, or 1 if sharing does not pay.
// cycles: estimated cycles of the operator on one thread.
size_t tvmq_tasks_wanted(const struct tvmq_machine *machine, const struct tvmq_threads *threads, float cycles);
