#include "cpu/plan/peak.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "cpu/plan/select.h"
#include "packing/pack_gemm.h"

// Bytes of a panel of weights. The first size fits into the L1 cache together with the rows of a tile. The second one
// is deeper, so the output stage takes a smaller part of the time.
static const size_t panel_bytes[] = {8 << 10, 32 << 10};
enum { LINE = 64, MATRIX_TILES = 4, BLOCK_BYTES = 256 << 10, MEMORY_BLOCKS = 256 };
// The fastest of several runs counts, because interruptions can only make a run slower. Each run is long enough for the
// clock's resolution and for threads to wake up. If runs take long, there are fewer.
enum { RUNS = 8, MIN_RUN_NS = 1000 * 1000, MOST_NS = 100 * 1000 * 1000, CALLS_PER_TASK = 64 };

// Measures tasks per second. n_tasks: minimum number of tasks in a run.
static double tasks_per_second(struct tvmq_threads *threads, size_t n_tasks, tvmq_task_fn task, void *context) {
  uint64_t least = UINT64_MAX, all = 0;
  for (int runs = 0; runs < RUNS && all < MOST_NS; runs++) {
    const uint64_t start = tvmq_now_ns();
    tvmq_threads_run(threads, n_tasks, task, context);
    const uint64_t ns = tvmq_now_ns() - start;
    all += ns;
    if (ns < MIN_RUN_NS) {  // too short
      n_tasks *= 2;
      least = UINT64_MAX;
      runs = -1;
    } else if (ns < least) {
      least = ns;
    }
  }
  return (double)n_tasks * 1e9 / (double)least;
}

// Fills memory with pseudo-random bytes, so that no kernel benefits from zeros.
static void fill_random(uint8_t *bytes, size_t n) {
  uint32_t x = 1;
  for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
}

// ---- kernels

struct gemm {
  tvmq_gemm_fn run;
  struct tvmq_gemm_args args;
  uint8_t *out;  // one output for each thread
  size_t out_bytes;
};

static void run_gemm(void *context, struct tvmq_task task) {
  const struct gemm *gemm = context;
  struct tvmq_gemm_args args = gemm->args;
  args.out = gemm->out + (size_t)task.thread * gemm->out_bytes;
  for (int i = 0; i < CALLS_PER_TASK; i++) gemm->run(&args);
}

// Measures multiply-accumulates per second with a panel of `weights` bytes. Returns 0 if out of memory.
static double gemm_rate(const struct tvmq_variant *v, size_t weights, struct tvmq_threads *threads) {
  static const struct tvmq_stage stage = {.right_shifts = true, .headroom = true, .fits_int16 = true, .min = INT8_MIN, .max = INT8_MAX};
  const struct tvmq_layout *layout = &v->layout;
  const size_t mr = v->mr, n_threads = (size_t)tvmq_threads_count(threads);
  const size_t k = weights / ((size_t)layout->nr * layout->weight_bytes * layout->ku) * layout->ku;
  // Rows are one cache line longer than needed, so that they do not compete for the same cache sets. Rows of a matrix
  // overlap, as windows of an image do. So several tiles, which some kernels multiply together, also stay in the cache.
  const bool is_matrix = (v->flags & TVMQ_MATRIX_ROWS) != 0;
  const size_t bytes = k * ((v->flags & TVMQ_WIDE_ROWS) != 0 ? sizeof(int16_t) : sizeof(int8_t)), row_bytes = is_matrix ? LINE : bytes + LINE;
  const size_t tiles = is_matrix ? MATRIX_TILES : 1, rows = tiles * mr;
  struct gemm gemm = {.run = v->fn.gemm, .out_bytes = rows * layout->nr};
  struct tvmq_panel panel;
  size_t size = 0, panel_at, rows_at, table_at, terms_at, out_at;
  if (!tvmq_panel_layout(layout, k, &panel) || !tvmq_scratch_append(&size, 1, panel.size, &panel_at) ||
      !tvmq_scratch_append(&size, 1, (rows - 1) * row_bytes + bytes, &rows_at) || !tvmq_scratch_append(&size, mr, sizeof(void *), &table_at) ||
      !tvmq_scratch_append(&size, rows, sizeof(int32_t), &terms_at) || !tvmq_scratch_append(&size, n_threads, gemm.out_bytes, &out_at))
    return 0;
  uint8_t *memory = tvmq_alloc(size);
  if (memory == NULL) return 0;

  fill_random(memory + panel_at + panel.weights, panel.multiplier - panel.weights);
  fill_random(memory + rows_at, (rows - 1) * row_bytes + bytes);
  for (size_t j = 0; j < layout->nr; j++)
    tvmq_pack_params(layout, &panel, j, &(struct tvmq_channel_params){.multiplier = 1 << 30, .shift = -9}, memory + panel_at);
  const void **table = (const void **)(memory + table_at);
  for (size_t m = 0; m < mr; m++) table[m] = memory + rows_at + m * row_bytes;
  gemm.out = memory + out_at;
  gemm.args = (struct tvmq_gemm_args){
      .rows = table,
      .row_stride = row_bytes,
      .row_tiles = tiles,
      .n_lines = 1,
      .n_taps = 1,
      .k = k,
      .panel = memory + panel_at,
      .wanted = layout->nr,
      .n_panels = 1,
      .panel_bytes = panel.size,
      .row_terms = is_matrix ? NULL : (const int32_t *)(memory + terms_at),
      .no_row_terms = true,
      .out_stride = layout->nr,
      .stage = &stage,
  };
  const double rate = tasks_per_second(threads, n_threads, run_gemm, &gemm) * CALLS_PER_TASK * (double)(rows * layout->nr * k);
  tvmq_free(memory);
  return rate;
}

// ---- memory

struct blocks {
  const uint8_t *memory;
  size_t n;         // number of blocks, which the tasks read in turn
  bool per_thread;  // each thread reads its own block instead
};

static void read_block(void *context, struct tvmq_task task) {
  const struct blocks *blocks = context;
  const size_t block = blocks->per_thread ? (size_t)task.thread : task.index % blocks->n;
  const uint64_t *words = (const uint64_t *)(blocks->memory + block * BLOCK_BYTES);
  uint64_t sums[8] = {0};
  for (size_t i = 0; i < BLOCK_BYTES / sizeof *words; i += 8) {
    for (size_t j = 0; j < 8; j++) sums[j] ^= words[i + j];
  }
  for (size_t j = 1; j < 8; j++) sums[0] ^= sums[j];
  __asm__ volatile("" : : "r"(sums[0]));  // keeps the compiler from removing the loop
}

static double read_rate(struct tvmq_threads *threads, const uint8_t *memory, size_t n_blocks, bool per_thread) {
  struct blocks blocks = {.memory = memory, .n = n_blocks, .per_thread = per_thread};
  return tasks_per_second(threads, n_blocks, read_block, &blocks) * BLOCK_BYTES;
}

bool tvmq_peak_measure(uint32_t cpu, struct tvmq_threads *threads, struct tvmq_peak_info *peak) {
  *peak = (struct tvmq_peak_info){.kernel = "", .threads = tvmq_threads_count(threads)};
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (v->family != TVMQ_FAMILY_GEMM_S8 || !tvmq_runs_on(v, cpu)) continue;
    for (size_t i = 0; i < sizeof panel_bytes / sizeof panel_bytes[0]; i++) {
      const double rate = gemm_rate(v, panel_bytes[i], threads);
      if (rate == 0) return false;
      if (rate <= peak->macs_per_second) continue;
      peak->kernel = v->name;
      peak->macs_per_second = rate;
    }
  }
  const size_t n_threads = (size_t)peak->threads, n_blocks = n_threads < MEMORY_BLOCKS ? MEMORY_BLOCKS : n_threads;
  uint8_t *memory = tvmq_alloc(n_blocks * BLOCK_BYTES);
  if (memory == NULL) return false;
  peak->cache_bytes_per_second = read_rate(threads, memory, n_threads, true);
  peak->memory_bytes_per_second = read_rate(threads, memory, n_blocks, false);
  tvmq_free(memory);
  return true;
}
