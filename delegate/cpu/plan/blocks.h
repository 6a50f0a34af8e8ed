// The work of an operator in blocks of rows x panels: the tasks of the threads. A gemm's rows are those of A and its panels those of B; a depthwise
// convolution's rows are those of its output and its panels blocks of channels; Winograd's rows are tiles.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cpu/machine.h"
#include "cpu/threads/threads.h"

// Blocks are counted panels first, then rows, so that a thread's next block mostly has the same rows.
struct tvmq_blocks {
  size_t rows, m_blocks;    // rows of a block (of the last perhaps fewer), and blocks of them
  size_t panels, n_blocks;  // panels of a block, and blocks of them
  size_t passing;           // panels that pass over the same rows in one thread, block after block
  float cycles;             // estimated, until the last thread is done
};

// The work to be cut: `parts` alike, one for each group or image, each of `m` rows x `panels`. Rows may be lines of `pitch` rows of A; a kernel takes mr rows
// at a time.
struct tvmq_work {
  size_t parts, m, pitch, mr;
  bool even;           // the kernel makes its tiles about equal: a block may have any number of rows, else whole tiles
  bool across;         // rows are columns of the image, which other operators share by its rows
  size_t reach;        // rows that a block needs beyond its own
  size_t least, most;  // a block has no more rows than `most` or than the cache takes, unless these are fewer than `least`
  size_t cache_bytes;  // for the rows of a block
  size_t row_bytes;    // for the kernel
  size_t panels, panel_bytes;
  size_t in_bytes, out_bytes;             // what a row takes of the tensors
  size_t pixel_bytes, panel_pixel_bytes;  // of an output pixel, and what a panel makes of it
  float cycles, bring_cycles;             // estimated, on one thread; bring_cycles of them to bring rows to the kernel, which each block does for its own
};

// Rows by which blocks grow: whole tiles, unless any number will do.
size_t tvmq_blocks_unit(const struct tvmq_work *work);

// Lists up to `max` ways to cut the work, that with which `n_threads` threads are estimated to finish first at the head; returns how many there are. `rows` and
// `panels` of a block may be given; 0: any. None is listed if these are not legal: rows in whole units, of at most as many as there are.
size_t tvmq_list_blocks(const struct tvmq_work *work, const struct tvmq_machine *machine, int n_threads, size_t rows, size_t panels, struct tvmq_blocks *list,
                        size_t max);

// The first of them; there is one if rows and panels are 0.
static inline struct tvmq_blocks tvmq_best_blocks(const struct tvmq_work *work, const struct tvmq_machine *machine, int n_threads) {
  struct tvmq_blocks best = {0};
  tvmq_list_blocks(work, machine, n_threads, 0, 0, &best, 1);
  return best;
}

// The thread has done another block of the same rows before: they are still in its scratch.
static inline bool tvmq_has_rows(const struct tvmq_blocks *blocks, const struct tvmq_task *block) {
  return blocks->n_blocks > 1 && block->since > 0 && block->since <= block->index % blocks->n_blocks;
}

// Into how many tasks work is cut that has no rows to bring and no panels, such as that of element-wise operators: with which it is estimated to be done first,
// by the same costs as blocks. As many for each thread, and 1 where sharing does not pay. `cycles` is what the operator takes on one thread, estimated.
size_t tvmq_tasks_wanted(const struct tvmq_machine *machine, const struct tvmq_threads *threads, float cycles);
