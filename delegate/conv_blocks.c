#include "conv_blocks.h"

#include "arith.h"

// A block of A should stay in the first two cache levels while all panels pass over it: those of x86 are larger.
#if defined(__x86_64__)
enum { BLOCK_BYTES = 256 * 1024 };
#else
enum { BLOCK_BYTES = 64 * 1024 };
#endif
enum { MIN_BLOCK_UNITS = 4 };

// Splitting one operand means that several threads read the other. Weights come from a cache that threads share, or from memory; rows were written by an
// operator before, and those that another core wrote are slow to come from its cache. So rows are split first, unless the weights are many times their bytes.
enum { WEIGHTS_TO_ROWS = 4 };

struct tvmq_conv_blocks tvmq_conv_blocks(const struct tvmq_conv_work *work, size_t wanted) {
  const size_t m = work->m, unit = work->unit;
  struct tvmq_conv_blocks b = {.rows = tvmq_round_up(BLOCK_BYTES / work->row_bytes, unit), .n_blocks = 1};
  if (b.rows > work->most) b.rows = tvmq_round_up(work->most, unit);
  if (b.rows < MIN_BLOCK_UNITS * unit) b.rows = MIN_BLOCK_UNITS * unit;
  if (b.rows > m) b.rows = tvmq_round_up(m, unit);

  if (work->panels * work->panel_bytes > WEIGHTS_TO_ROWS * m * work->row_bytes) b.n_blocks = tvmq_min(wanted, work->panels);
  while (b.n_blocks * tvmq_ceil_div(m, b.rows) < wanted && b.rows > 2 * unit) b.rows = tvmq_round_up(b.rows / 2, unit);
  b.m_blocks = tvmq_ceil_div(m, b.rows);
  if (b.n_blocks * b.m_blocks < wanted) b.n_blocks = tvmq_min(tvmq_ceil_div(wanted, b.m_blocks), work->panels);
  b.panels = tvmq_ceil_div(work->panels, b.n_blocks);
  b.n_blocks = tvmq_ceil_div(work->panels, b.panels);
  return b;
}
