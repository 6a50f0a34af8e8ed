// Blocks: every cell of the work is in exactly one of them, whatever is cut and for however many threads; and what is chosen for work of a known kind.
#include <stdint.h>

#include "base/arith.h"
#include "cpu/plan/blocks.h"
#include "unit.h"

static struct tvmq_blocks best(const struct tvmq_work *work, int n_threads) { return tvmq_best_blocks(work, tvmq_machine_for(false), n_threads); }

static struct tvmq_work pointwise(size_t pixels, size_t k, size_t panels) {
  return (struct tvmq_work){
      .parts = 1,
      .m = pixels,
      .pitch = 1,
      .mr = 32,
      .least = 128,
      .most = 512,
      .cache_bytes = 256 * 1024,
      .row_bytes = k,
      .panels = panels,
      .panel_bytes = 32 * k,
      .in_bytes = k,
      .out_bytes = 32 * panels,
      .pixel_bytes = 32 * panels,
      .panel_pixel_bytes = 32,
      .cycles = (float)(tvmq_ceil_div(pixels, 32) * panels * (500 + k)),
  };
}

enum { MOST_ROWS = 3200, MOST_PANELS = 64, LISTED = 4 };

// Counts how often each row x panel is computed, going through the blocks as the threads' tasks do.
static void check_covers(const struct tvmq_work *w, const struct tvmq_blocks *b) {
  static uint8_t seen[MOST_ROWS][MOST_PANELS];
  for (size_t row = 0; row < w->m; row++) memset(seen[row], 0, w->panels);
  bool empty = false;
  for (size_t task = 0; task < b->m_blocks * b->n_blocks; task++) {
    const size_t first_row = task / b->n_blocks * b->rows, first_panel = task % b->n_blocks * b->panels;
    empty |= first_row >= w->m || first_panel >= w->panels;
    for (size_t row = first_row; row < tvmq_min(first_row + b->rows, w->m); row++) {
      for (size_t panel = first_panel; panel < tvmq_min(first_panel + b->panels, w->panels); panel++) seen[row][panel]++;
    }
  }
  size_t wrong = 0;
  for (size_t row = 0; row < w->m; row++) {
    for (size_t panel = 0; panel < w->panels; panel++) wrong += seen[row][panel] != 1;
  }
  CHECK(wrong == 0 && !empty, "%zu of %zu x %zu cells are not computed once, by blocks of %zu x %zu", wrong, w->m, w->panels, b->rows, b->panels);
  CHECK(b->rows % tvmq_blocks_unit(w) == 0, "%zu rows are no whole tiles", b->rows);
}

static void check_listed(const struct tvmq_work *w, int threads, size_t rows, size_t panels) {
  struct tvmq_blocks list[LISTED];
  const size_t n = tvmq_list_blocks(w, tvmq_machine_for(false), threads, rows, panels, list, LISTED);
  CHECK(n > 0, "no blocks of %zu x %zu", rows, panels);
  for (size_t i = 0; i < n; i++) {
    check_covers(w, &list[i]);
    CHECK(rows == 0 || list[i].rows == rows, "%zu rows instead of %zu", list[i].rows, rows);
    CHECK(panels == 0 || list[i].panels == panels, "%zu panels instead of %zu", list[i].panels, panels);
    CHECK(i == 0 || list[i].cycles >= list[i - 1].cycles, "the list is not in order");
  }
}

// Compares members, because padding between and after members may hold any bytes.
static bool same_blocks(const struct tvmq_blocks *a, const struct tvmq_blocks *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const bool same = a[i].rows == b[i].rows && a[i].m_blocks == b[i].m_blocks && a[i].panels == b[i].panels && a[i].n_blocks == b[i].n_blocks &&
                      a[i].passing == b[i].passing && a[i].cycles == b[i].cycles;
    if (!same) return false;
  }
  return true;
}

// A short list is what the list of all blocks begins with, though most blocks are ruled out before they are estimated.
static void check_short_lists(const struct tvmq_work *w, int threads) {
  enum { ALL = 4096 };
  static struct tvmq_blocks all[ALL];
  struct tvmq_blocks list[LISTED];
  const size_t n_all = tvmq_list_blocks(w, tvmq_machine_for(false), threads, 0, 0, all, ALL);
  CHECK(n_all < ALL, "no room for all blocks");
  for (size_t max = 1; max <= LISTED; max++) {
    const size_t n = tvmq_list_blocks(w, tvmq_machine_for(false), threads, 0, 0, list, max);
    CHECK(n == tvmq_min(max, n_all) && same_blocks(list, all, n), "%d threads: the first %zu of %zu blocks of %zu x %zu", threads, max, n_all, w->m, w->panels);
  }
}

static void check_sizes(void) {
  static const size_t sizes[] = {1, 2, 7, 31, 32, 33, 56, 196, 3136}, panels[] = {1, 2, 7, 33, 64}, depths[] = {1, 64, 100000};
  enum { SIZES = N_ELEMENTS(sizes), PANELS = N_ELEMENTS(panels), DEPTHS = N_ELEMENTS(depths) };
  for (size_t i = 0; i < SIZES * PANELS * DEPTHS; i++) {
    for (int threads = 1; threads <= 64; threads *= 4) {
      struct tvmq_work w = pointwise(sizes[i % SIZES], depths[i / SIZES / PANELS], panels[i / SIZES % PANELS]);
      w.pitch = 1 + i % 4 * 13;
      w.parts = 1 + i % 3;
      w.reach = i % 2 * 2;
      w.even = i % 2 == 0;
      w.bring_cycles = w.cycles / 8;
      check_listed(&w, threads, 0, 0);
      check_short_lists(&w, threads);
      check_listed(&w, threads, tvmq_blocks_unit(&w), 0);
      check_listed(&w, threads, 0, tvmq_ceil_div(w.panels, 2));
      check_listed(&w, threads, tvmq_round_up(w.m, tvmq_blocks_unit(&w)), w.panels);
      const struct tvmq_blocks b = best(&w, threads);
      CHECK(threads > 1 || b.n_blocks == 1, "one thread has no use for %zu blocks of panels", b.n_blocks);
    }
  }
}

static void check_refusals(void) {
  const struct tvmq_work w = pointwise(100, 64, 3);
  struct tvmq_blocks b;
  CHECK(tvmq_list_blocks(&w, tvmq_machine_for(false), 1, 33, 0, &b, 1) == 0, "part of a tile");
  CHECK(tvmq_list_blocks(&w, tvmq_machine_for(false), 1, 160, 0, &b, 1) == 0, "more rows than there are");
  CHECK(tvmq_list_blocks(&w, tvmq_machine_for(false), 1, 0, 4, &b, 1) == 0, "more panels than there are");
}

static void check_choice(void) {
  // Little work stays with one thread.
  struct tvmq_work w = pointwise(32, 64, 1);
  struct tvmq_blocks b = best(&w, 2);
  CHECK(b.m_blocks * b.n_blocks == 1, "%zu x %zu blocks", b.m_blocks, b.n_blocks);
  // A little more does not, though there is little to win: half of its rows lie in another core's cache.
  w = pointwise(196, 384, 2);
  b = best(&w, 2);
  CHECK(b.m_blocks == 2 && b.n_blocks == 1, "%zu x %zu blocks", b.m_blocks, b.n_blocks);
  // Many rows and few weights: threads share the rows, and have as much to do.
  w = pointwise(12544, 32, 2);
  b = best(&w, 2);
  CHECK(b.n_blocks == 1 && b.m_blocks >= 4, "%zu x %zu blocks", b.m_blocks, b.n_blocks);
  // Tiles that can be equal make equal blocks.
  w = pointwise(196, 512, 1);
  w.even = true;
  b = best(&w, 2);
  CHECK(b.rows * b.m_blocks == 196, "%zu x %zu rows", b.m_blocks, b.rows);
  // Few rows and many weights: they share the panels.
  w = pointwise(49, 1024, 32);
  b = best(&w, 2);
  CHECK(b.m_blocks == 1 && b.n_blocks % 2 == 0, "%zu x %zu blocks", b.m_blocks, b.n_blocks);
}

// Two threads rather share the rows than write to the same lines of the cache.
static void check_lines(void) {
  struct tvmq_work w = pointwise(7, 64, 9);
  w.mr = 1;
  w.least = 2;
  w.in_bytes = w.out_bytes = 56 * 32 * 9;
  w.cycles = 200000;
  w.panel_bytes = 64;
  w.pixel_bytes = 64 * 9;
  w.panel_pixel_bytes = 64;
  const struct tvmq_blocks whole = best(&w, 2);
  w.pixel_bytes = 16 * 9;
  w.panel_pixel_bytes = 16;
  const struct tvmq_blocks cut = best(&w, 2);
  CHECK(cut.n_blocks == 1 && whole.n_blocks > 1, "%zu and %zu blocks of panels", cut.n_blocks, whole.n_blocks);
}

static void check_rows(void) {
  const struct tvmq_blocks b = {.n_blocks = 3};
  CHECK(!tvmq_has_rows(&b, &(struct tvmq_task){.index = 0}), "the first block has no rows yet");
  CHECK(tvmq_has_rows(&b, &(struct tvmq_task){.index = 5, .since = 2}), "blocks 3 to 5 have the same rows");
  CHECK(!tvmq_has_rows(&b, &(struct tvmq_task){.index = 6, .since = 1}), "blocks 5 and 6 have not");
}

// More work is never cut into fewer tasks; there are as many for each thread, or one.
static void check_tasks(void) {
  struct tvmq_threads *threads = tvmq_threads_create(2);
  if (!CHECK(threads != NULL, "no threads")) return;
  for (const struct tvmq_machine *m = tvmq_machines; m < tvmq_machines + tvmq_n_machines; m++) {
    size_t before = 1;
    for (float cycles = 1; cycles < 1e9f; cycles *= 1.5f) {
      const size_t tasks = tvmq_tasks_wanted(m, threads, cycles);
      CHECK(tasks == 1 || tasks % 2 == 0, "%s: %zu tasks for two threads", m->name, tasks);
      CHECK(tasks >= before, "%s: %zu tasks for %g cycles, and %zu for fewer", m->name, tasks, (double)cycles, before);
      CHECK(tvmq_tasks_wanted(m, NULL, cycles) == 1, "%s: one thread", m->name);
      before = tasks;
    }
    CHECK(before > 2 && tvmq_tasks_wanted(m, threads, 1000) == 1, "%s: %zu tasks at most", m->name, before);
  }
  tvmq_threads_destroy(threads);
}

int main(void) {
  check_tasks();
  check_sizes();
  check_refusals();
  check_choice();
  check_lines();
  check_rows();
  return unit_report();
}
