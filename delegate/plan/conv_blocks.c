#include "plan/conv_blocks.h"

#include <math.h>

#include "base/arith.h"

static size_t tiles_of(const struct tvmq_conv_work *w, size_t rows) { return tvmq_ceil_div(rows * w->pitch, w->mr); }

// When the thread that has most to do is done.
static float estimate(const struct tvmq_conv_work *w, const struct tvmq_conv_blocks *b, size_t n_threads, const struct tvmq_machine *machine) {
  const size_t tasks = w->parts * b->m_blocks * b->n_blocks, share = tvmq_ceil_div(tasks, n_threads), all_rows = w->parts * w->m;
  const float tile = (w->cycles - w->bring_cycles) / (float)(w->parts * tiles_of(w, w->m) * w->panels);
  const float whole = tile * (float)(tiles_of(w, b->rows) * b->panels), last = tile * (float)(tiles_of(w, w->m - (b->m_blocks - 1) * b->rows) * b->panels);
  // Rows and panels that the thread sees.
  const size_t row_blocks = tvmq_ceil_div(share, b->n_blocks), panels = tvmq_min(share, b->n_blocks) * b->panels;
  const float rows = (float)tvmq_min(row_blocks * b->rows, all_rows), brought = (float)(row_blocks * (b->rows + w->reach)),
              own = (float)all_rows / (float)n_threads;

  float cycles = brought * w->bring_cycles / (float)all_rows + (float)(panels * w->panel_bytes) * machine->weight_byte_cycles;
  const bool alone = share == tasks;
  cycles += (float)(share * b->panels) * machine->panel_cycles + machine->task_cycles +
            (float)(share - 1) * (alone ? machine->task_cycles : machine->next_task_cycles);
  // Rows were written, and are read later, by threads that share them evenly: what this one has beyond that comes from others, and goes to them. Of columns
  // that is all but what lies in its rows.
  const float moved = w->across && !alone ? rows - rows / (float)n_threads : rows - own;
  if (moved > 0 && !(alone && w->cycles < machine->small_cycles))
    cycles += moved * ((float)w->in_bytes + (float)w->out_bytes * (float)panels / (float)w->panels) * machine->moved_byte_cycles;
  if (alone) return cycles + (float)(w->parts * b->n_blocks) * ((float)(b->m_blocks - 1) * whole + last);
  if (b->n_blocks > 1 && (w->pixel_bytes % TVMQ_LINE != 0 || b->panels * w->panel_pixel_bytes % TVMQ_LINE != 0))
    cycles += rows * (float)w->out_bytes / (float)w->pixel_bytes * machine->shared_line_cycles;
  return cycles + (float)share * whole + whole * machine->imbalance + machine->done_cycles;
}

struct tvmq_conv_blocks tvmq_conv_blocks(const struct tvmq_conv_work *w, const struct tvmq_machine *machine, int n_threads) {
  const size_t unit = w->even ? 1 : tvmq_ceil_div(w->mr, w->pitch), threads = (size_t)n_threads;
  size_t most = tvmq_round_up(machine->block_bytes / w->row_bytes, unit);
  if (most > w->most) most = tvmq_round_up(w->most, unit);
  if (most < w->least) most = tvmq_round_up(w->least, unit);
  if (most > w->m) most = tvmq_round_up(w->m, unit);

  // Half as many blocks again as there must be are worth a look, too, for sizes that waste less.
  const size_t least_blocks = tvmq_ceil_div(w->m, most);
  size_t most_tasks = w->parts * least_blocks * 3 / 2;
  if (most_tasks < threads * machine->tasks_per_thread) most_tasks = threads * machine->tasks_per_thread;
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
      const float cycles = estimate(w, &b, threads, machine);
      if (cycles >= least) continue;
      best = b;
      least = cycles;
    }
  }
  return best;
}
