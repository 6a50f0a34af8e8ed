#include "plan/conv_blocks.h"

#include <math.h>

#include "base/arith.h"

// A block of A should stay in the first two cache levels while all panels pass over it: those of x86 are larger.
#if defined(__x86_64__)
enum { BLOCK_BYTES = 256 * 1024 };
#else
enum { BLOCK_BYTES = 64 * 1024 };
#endif
enum { TASKS_PER_THREAD = 8, LINE = 64 };

// Cycles for a byte of weights, from the cache that cores share; for one of activations that another core has in its own, or takes from here later; for a line
// of cache that two cores write; for a panel that passes over a block; for a task, and for each further one of those that threads share; and for threads to
// find out that all are done. From two cores of a Xeon with AMX, whose L2 are their own: 14x14x512 1x1 and 28x28x128 3x3 are faster by rows, 14x14x256 3x3 by
// panels.
static const float WEIGHT_CYCLES = 0.1f, MOVED_CYCLES = 0.6f, SHARED_LINE_CYCLES = 250, PANEL_CYCLES = 300, TASK_CYCLES = 1500, NEXT_TASK_CYCLES = 4000,
                   DONE_CYCLES = 1500;

// Operators of fewer cycles have neighbours that one thread does, mostly: there is nothing in other cores.
static const float SMALL_CYCLES = 8000;

// How much of a task it takes longer because threads do not begin and end as estimated.
static const float LATE = 0.25f;

static size_t tiles_of(const struct tvmq_conv_work *w, size_t rows) { return tvmq_ceil_div(rows * w->pitch, w->mr); }

// When the thread that has most to do is done.
static float estimate(const struct tvmq_conv_work *w, const struct tvmq_conv_blocks *b, size_t n_threads) {
  const size_t tasks = w->parts * b->m_blocks * b->n_blocks, share = tvmq_ceil_div(tasks, n_threads), all_rows = w->parts * w->m;
  const float tile = (w->cycles - w->bring_cycles) / (float)(w->parts * tiles_of(w, w->m) * w->panels);
  const float whole = tile * (float)(tiles_of(w, b->rows) * b->panels), last = tile * (float)(tiles_of(w, w->m - (b->m_blocks - 1) * b->rows) * b->panels);
  // Rows and panels that the thread sees.
  const size_t row_blocks = tvmq_ceil_div(share, b->n_blocks), panels = tvmq_min(share, b->n_blocks) * b->panels;
  const float rows = (float)tvmq_min(row_blocks * b->rows, all_rows), brought = (float)(row_blocks * (b->rows + w->reach)),
              own = (float)all_rows / (float)n_threads;

  float cycles = brought * w->bring_cycles / (float)all_rows + (float)(panels * w->panel_bytes) * WEIGHT_CYCLES;
  const bool alone = share == tasks;
  cycles += (float)(share * b->panels) * PANEL_CYCLES + TASK_CYCLES + (float)(share - 1) * (alone ? TASK_CYCLES : NEXT_TASK_CYCLES);
  // Rows were written, and are read later, by threads that share them evenly: what this one has beyond that comes from others, and goes to them. Of columns
  // that is all but what lies in its rows.
  const float moved = w->across && !alone ? rows - rows / (float)n_threads : rows - own;
  if (moved > 0 && !(alone && w->cycles < SMALL_CYCLES))
    cycles += moved * ((float)w->in_bytes + (float)w->out_bytes * (float)panels / (float)w->panels) * MOVED_CYCLES;
  if (alone) return cycles + (float)(w->parts * b->n_blocks) * ((float)(b->m_blocks - 1) * whole + last);
  if (b->n_blocks > 1 && (w->pixel_bytes % LINE != 0 || b->panels * w->panel_pixel_bytes % LINE != 0))
    cycles += rows * (float)w->out_bytes / (float)w->pixel_bytes * SHARED_LINE_CYCLES;
  return cycles + (float)share * whole + whole * LATE + DONE_CYCLES;
}

struct tvmq_conv_blocks tvmq_conv_blocks(const struct tvmq_conv_work *w, int n_threads) {
  const size_t unit = w->even ? 1 : tvmq_ceil_div(w->mr, w->pitch), threads = (size_t)n_threads;
  size_t most = tvmq_round_up(BLOCK_BYTES / w->row_bytes, unit);
  if (most > w->most) most = tvmq_round_up(w->most, unit);
  if (most < w->least) most = tvmq_round_up(w->least, unit);
  if (most > w->m) most = tvmq_round_up(w->m, unit);

  // Half as many blocks again as there must be are worth a look, too, for sizes that waste less.
  const size_t least_blocks = tvmq_ceil_div(w->m, most);
  size_t most_tasks = w->parts * least_blocks * 3 / 2;
  if (most_tasks < threads * TASKS_PER_THREAD) most_tasks = threads * TASKS_PER_THREAD;
  struct tvmq_conv_blocks best = {0};
  float least = INFINITY;
  // Blocks of rows are about equal.
  for (size_t m_blocks = least_blocks; m_blocks == least_blocks || (m_blocks <= w->m && w->parts * m_blocks <= most_tasks); m_blocks++) {
    const size_t rows = tvmq_round_up(tvmq_ceil_div(w->m, m_blocks), unit);
    for (size_t n = 1; n <= w->panels; n++) {
      struct tvmq_conv_blocks b = {.rows = rows, .m_blocks = tvmq_ceil_div(w->m, rows), .panels = tvmq_ceil_div(w->panels, n)};
      b.n_blocks = tvmq_ceil_div(w->panels, b.panels);
      if (best.rows > 0 && w->parts * b.m_blocks * b.n_blocks > most_tasks) break;
      b.passing = tvmq_min(tvmq_ceil_div(w->parts * b.m_blocks * b.n_blocks, threads), b.n_blocks) * b.panels;
      const float cycles = estimate(w, &b, threads);
      if (cycles >= least) continue;
      best = b;
      least = cycles;
    }
  }
  return best;
}
