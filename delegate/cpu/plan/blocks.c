#include "cpu/plan/blocks.h"

#include "base/arith.h"

static size_t tiles_of(const struct tvmq_work *w, size_t rows) { return tvmq_ceil_div(rows * w->pitch, w->mr); }

// Returns the cycles to multiply a tile of rows by a panel.
static float tile_cycles(const struct tvmq_work *w) { return (w->cycles - w->bring_cycles) / (float)(w->parts * tiles_of(w, w->m) * w->panels); }

// Estimates the cycles until the thread with the most work is done.
static float estimate_blocks(const struct tvmq_work *w, const struct tvmq_blocks *b, size_t n_threads, const struct tvmq_machine *machine) {
  const size_t tasks = w->parts * b->m_blocks * b->n_blocks, share = tvmq_ceil_div(tasks, n_threads), all_rows = w->parts * w->m;
  const float tile = tile_cycles(w);
  const float whole = tile * (float)(tiles_of(w, b->rows) * b->panels), last = tile * (float)(tiles_of(w, w->m - (b->m_blocks - 1) * b->rows) * b->panels);
  // Rows and panels that the thread processes.
  const size_t row_blocks = tvmq_ceil_div(share, b->n_blocks), panels = tvmq_min(share, b->n_blocks) * b->panels;
  const float rows = (float)tvmq_min(row_blocks * b->rows, all_rows), brought = (float)(row_blocks * (b->rows + w->reach)),
              own = (float)all_rows / (float)n_threads;

  float cycles = brought * w->bring_cycles / (float)all_rows + (float)(panels * w->panel_bytes) * machine->weight_byte_cycles;
  const bool alone = share == tasks;
  cycles += (float)(share * b->panels) * machine->panel_cycles + machine->task_cycles +
            (float)(share - 1) * (alone ? machine->task_cycles : machine->next_task_cycles);
  // The previous and the next operator divide rows evenly between threads. Rows beyond this thread's even part move
  // between cores, before and after. If the work is divided by columns, everything outside this thread's rows moves.
  const float moved = w->across && !alone ? rows - rows / (float)n_threads : rows - own;
  if (moved > 0 && !(alone && w->cycles < machine->small_cycles))
    cycles += moved * ((float)w->in_bytes + (float)w->out_bytes * (float)panels / (float)w->panels) * machine->moved_byte_cycles;
  if (alone) return cycles + (float)(w->parts * b->n_blocks) * ((float)(b->m_blocks - 1) * whole + last);
  if (b->n_blocks > 1 && (w->pixel_bytes % TVMQ_LINE != 0 || b->panels * w->panel_pixel_bytes % TVMQ_LINE != 0))
    cycles += rows * (float)w->out_bytes / (float)w->pixel_bytes * machine->shared_line_cycles;
  return cycles + (float)share * whole + whole * machine->imbalance + machine->done_cycles;
}

size_t tvmq_blocks_unit(const struct tvmq_work *w) { return w->even ? 1 : tvmq_ceil_div(w->mr, w->pitch); }

struct search {
  const struct tvmq_work *work;
  const struct tvmq_machine *machine;
  size_t threads, most_tasks;
  size_t panels;  // required panels of a block; 0: any
  struct tvmq_blocks *list;
  size_t max, n;
};

// Inserts blocks into the list, which is sorted by cycles; equal ones stay in the order in which they were found.
static void insert(struct search *s, const struct tvmq_blocks *blocks) {
  size_t at = s->n;
  while (at > 0 && s->list[at - 1].cycles > blocks->cycles) at--;
  if (at == s->max) return;
  if (s->n < s->max) s->n++;
  for (size_t i = s->n - 1; i > at; i--) s->list[i] = s->list[i - 1];
  s->list[at] = *blocks;
}

// Returns whether these blocks cannot enter a full list, because the products of the busiest thread alone take at least
// as many cycles as the list's last. The full estimate only adds to the products.
static bool is_hopeless(const struct search *s, float tile, size_t tiles, size_t tasks, size_t panels) {
  const size_t share = tvmq_ceil_div(tasks, s->threads);
  return s->n == s->max && share < tasks && (float)share * (tile * (float)(tiles * panels)) >= s->list[s->n - 1].cycles;
}

// Tries blocks of `rows` rows with each number of panels.
static void try_rows(struct search *s, size_t rows) {
  const struct tvmq_work *w = s->work;
  const size_t m_blocks = tvmq_ceil_div(w->m, rows), tiles = tiles_of(w, rows);
  const float tile = tile_cycles(w);
  for (size_t n = 1, before = 0; n <= w->panels; n++) {
    struct tvmq_blocks b = {.rows = rows, .m_blocks = m_blocks, .panels = s->panels != 0 ? s->panels : tvmq_ceil_div(w->panels, n)};
    b.n_blocks = tvmq_ceil_div(w->panels, b.panels);
    const size_t tasks = w->parts * m_blocks * b.n_blocks;
    if (s->n > 0 && tasks > s->most_tasks) return;
    if (b.panels == before) continue;
    before = b.panels;
    if (is_hopeless(s, tile, tiles, tasks, b.panels)) continue;
    b.passing = tvmq_min(tvmq_ceil_div(tasks, s->threads), b.n_blocks) * b.panels;
    b.cycles = estimate_blocks(w, &b, s->threads, s->machine);
    insert(s, &b);
    if (s->panels != 0) return;
  }
}

size_t tvmq_list_blocks(const struct tvmq_work *w, const struct tvmq_machine *machine, int n_threads, size_t rows, size_t panels, struct tvmq_blocks *list,
                        size_t max) {
  const size_t unit = tvmq_blocks_unit(w), threads = (size_t)n_threads;
  if (rows % unit != 0 || rows > tvmq_round_up(w->m, unit) || panels > w->panels) return 0;
  size_t most = tvmq_round_up(w->cache_bytes / w->row_bytes, unit);
  if (most > w->most) most = tvmq_round_up(w->most, unit);
  if (most < w->least) most = tvmq_round_up(w->least, unit);
  if (most > w->m) most = tvmq_round_up(w->m, unit);

  // Also tries up to 1.5 times the minimum number of blocks, because other sizes may waste less.
  const size_t least_blocks = tvmq_ceil_div(w->m, most), most_tasks = tvmq_max(w->parts * least_blocks * 3 / 2, threads * machine->tasks_per_thread);
  struct search s = {.work = w, .machine = machine, .threads = threads, .most_tasks = most_tasks, .panels = panels, .list = list, .max = max};
  if (rows != 0) {
    try_rows(&s, rows);
    return s.n;
  }
  // Divide the rows into about equal blocks.
  for (size_t m_blocks = least_blocks, before = 0; m_blocks == least_blocks || (m_blocks <= w->m && w->parts * m_blocks <= most_tasks); m_blocks++) {
    const size_t each = tvmq_round_up(tvmq_ceil_div(w->m, m_blocks), unit);
    if (each != before) try_rows(&s, each);
    before = each;
  }
  return s.n;
}

size_t tvmq_tasks_wanted(const struct tvmq_machine *machine, const struct tvmq_threads *threads, float cycles) {
  const size_t n_threads = (size_t)tvmq_threads_count(threads);
  size_t best = 1;
  float least = cycles + machine->task_cycles;
  for (size_t share = 1; n_threads > 1 && share <= machine->tasks_per_thread; share++) {
    const float task = cycles / (float)(share * n_threads);
    const float shared =
        (float)share * task + machine->task_cycles + (float)(share - 1) * machine->next_task_cycles + task * machine->imbalance + machine->done_cycles;
    if (shared >= least) continue;
    least = shared;
    best = share * n_threads;
  }
  return best;
}
